"""The embedded identity server: Supabase Auth's wire contract for one machine."""

from app.auth.embedded.database import Database, open_engine
from app.auth.embedded.events import Event
from app.auth.embedded.export import export_users
from app.auth.embedded.identity import Identity, is_live
from app.auth.embedded.keys import Keys
from app.auth.embedded.limiter import Limiter, Unlimited
from app.auth.embedded.mail import Mail, Mailer, MailNotSent, OutboxMailer, SmtpMailer
from app.auth.embedded.migrate import migrate
from app.auth.embedded.models import Base
from app.auth.embedded.passwords import Passwords
from app.auth.embedded.server import create_identity_app
from app.auth.embedded.settings import IdentitySettings, Provider

__all__ = [
    "Base",
    "Database",
    "Event",
    "Identity",
    "IdentitySettings",
    "Keys",
    "Limiter",
    "Mail",
    "MailNotSent",
    "Mailer",
    "OutboxMailer",
    "Passwords",
    "Provider",
    "SmtpMailer",
    "Unlimited",
    "create_identity_app",
    "export_users",
    "is_live",
    "migrate",
    "open_engine",
]
