"""Words that carry no topic, question words included; written for this project, by language."""

STOP_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset(
        """a about after all also am an and any are as at be because been before being between both but by can could
        did do does doing during each few for from had has have having he her here hers him his how i if in into is it
        its itself just me more most my no nor not of off on once only or other our out over own same she should so
        some such than that the their theirs them then there these they this those through to too under until up very
        was we were what when where which while who whom whose why will with would you your yours what's who's it's
        don't doesn't didn't isn't aren't wasn't i'm there's""".split()
    ),
    "de": frozenset(
        """ab aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da
        damit dann das dass dein deine dem den denn der des dessen dich die dies diese diesem diesen dieser dieses dir
        doch dort du durch ein eine einem einen einer eines er es etwas euch euer für gegen gibt hab habe haben hat
        hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden
        jeder jedes kann können könnte man mehr mein meine mich mir mit muss müssen nach nicht noch nun nur ob oder
        ohne sehr sein seine seinem seinen seiner sich sie sind so soll sollte sonst über um und uns unser unsere
        unter viel vom von vor wann war waren warum was weil welche welchem welchen welcher welches wem wen wenn wer
        werden wessen wie wieder wir wird wo wurde wurden zu zum zur""".split()
    ),
    "fr": frozenset(
        """à ai as au aux avec avait avez avoir avons c'est ce ces cet cette chaque comme comment d'un d'une dans de
        depuis des dont du elle elles en entre es est est-ce et étaient était être eu eux faut il ils j'ai je l' la le
        les leur leurs lors lorsque lui ma mais me mes moi mon n'est ne nos notre nous on ont où ou par pas pendant
        peut peuvent plus pour pourquoi qu'il qu'est-ce quand que quel quelle quelles quels qui quoi s'il sa sans se
        ses si son sont sous suis sur ta te tes toi ton tous tout toute toutes très tu un une vers vos votre vous y""".split()
    ),
    "es": frozenset(
        """a al algo alguna algunas alguno algunos ante antes como cómo con contra cual cuál cuáles cuando cuándo
        cuánto cuántos de del desde donde dónde durante e el él ella ellas ellos en entre era eran eres es esa esas ese
        eso esos está están esta estas este esto estos fue fueron ha había han hasta hay la las le les lo los más me mi
        mis mucho muy nada ni no nos nosotros o os otra otras otro otros para pero poco por porque qué que quién
        quienes se sea según ser si sí sin sobre son su sus también tanto te tiene tienen todo todos tu tus un una unas
        uno unos y ya yo""".split()
    ),
    "ar": frozenset(
        "من في على إلى عن ما ماذا متى أين كيف هل هو هي هم هذا هذه ذلك التي الذي أن إن كان كم و أو لا مع".split()
    ),
}
