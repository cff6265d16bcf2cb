"""Words that carry no topic, question words included, by language; written for this project."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS: dict[str, frozenset[str]] = {
    "en": _words(
        """a about after all also am an and any are aren as at be because been before being between both but by can
        could couldn did didn do does doesn doing don during each few for from had has hasn have haven having he her
        here hers him his how i if in into is isn it its itself just me more most my no nor not of off on once only or
        other our out over own same she should shouldn so some such than that the their theirs them then there these
        they this those through to too under until up very was wasn we were weren what when where which while who whom
        whose why will with would wouldn you your yours"""
    ),
    "de": _words(
        """ab aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da
        damit dann das dass dein deine dem den denn der des dessen dich die dies diese diesem diesen dieser dieses dir
        doch dort du durch ein eine einem einen einer eines er es etwas euch euer für gegen gibt hab habe haben hat
        hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden
        jeder jedes kann können könnte man mehr mein meine mich mir mit muss müssen nach nicht noch nun nur ob oder
        ohne sehr sein seine seinem seinen seiner sich sie sind so soll sollte sonst über um und uns unser unsere
        unter viel vom von vor wann war waren warum was weil welche welchem welchen welcher welches wem wen wenn wer
        werden wessen wie wieder wir wird wo wurde wurden zu zum zur"""
    ),
    "fr": _words(
        """à ai as au aux avec avait avez avoir avons ce ces cet cette chaque comme comment dans de depuis des dont du
        elle elles en entre es est étaient était être eu eux faut il ils je la le les leur leurs lors lorsque lui ma
        mais me mes moi mon ne nos notre nous on ont où ou par pas pendant peut peuvent plus pour pourquoi quand que
        quel quelle quelles quels qui quoi sa sans se ses si son sont sous suis sur ta te tes toi ton tous tout toute
        toutes très tu un une vers vos votre vous y"""
    ),
    "es": _words(
        """a al algo alguna algunas alguno algunos ante antes como cómo con contra cual cuál cuáles cuando cuándo
        cuánto cuántos de del desde donde dónde durante e el él ella ellas ellos en entre era eran eres es esa esas ese
        eso esos está están esta estas este esto estos fue fueron ha había han hasta hay la las le les lo los más me mi
        mis mucho muy nada ni no nos nosotros o os otra otras otro otros para pero poco por porque qué que quién
        quienes se sea según ser si sí sin sobre son su sus también tanto te tiene tienen todo todos tu tus un una unas
        uno unos y ya yo"""
    ),
    "it": _words(
        """a ad ai al alla alle anche che chi ci come con cosa cui da dal dalla dei del della delle di dove e è era gli
        ha hanno ho i il in io la le lei lo loro ma mi nei nel nella non o per perché più quale quali quando quanto
        quanti questa questo se si sono su sul sulla tra tu un una uno vi"""
    ),
    "pt": _words(
        """a à ao aos as com como da das de do dos e é ela ele em entre era essa esse esta este eu foi há isso isto já
        lhe mais mas me meu minha na nas não no nos o onde os ou para pela pelo por porque qual quais quando quanto
        quantos que quem se sem ser seu sua são também te tem um uma você"""
    ),
    "nl": _words(
        """aan al als bij dan dat de deze die dit door een en er had heb heeft het hier hij hoe hoeveel hun ik in is je
        kan kunnen maar mag me met mijn moet na naar niet nog nu of om ons ook op over te tot uit u van voor waar
        waarom wanneer was wat we welke werd wie wij worden zal ze zich zij zijn zo zou"""
    ),
    "ru": _words(
        """а без бы был была были было быть в вам вас во вот все вы где да для до его ее если есть еще же за и из или
        им их к как какая какие какой когда кто ли мне можно мой мы на над не него нет но о об он она они от по под при
        с сколько со так такой там то только ты у уже чем что чтобы это этот я"""
    ),
    "ar": _words(
        """من في على إلى عن ما ماذا متى أين كيف هل هو هي هم هذا هذه ذلك تلك التي الذي الذين أن إن كان كانت كم لم لن قد
        ثم كل بعد قبل عند مع لا و أو أي لماذا بين حتى"""
    ),
}
