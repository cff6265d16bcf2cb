"""Keys, tokens, and a key set that is fetched over a transport in the test's hand."""

import base64
import json
import time
import uuid
from typing import Any

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ISSUER = "https://project.supabase.test/auth/v1"
EC_KEY, OTHER_EC_KEY = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
SECRET = "a legacy secret of at least thirty-two bytes"
PrivateKey = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
Json = dict[str, Any]


def jwk_of(key: PrivateKey, key_id: str, **more: Any) -> Json:
    """The public half, as Supabase publishes it."""
    if isinstance(key, ec.EllipticCurvePrivateKey):
        made, algorithm = jwt.algorithms.ECAlgorithm.to_jwk(key.public_key()), "ES256"
    else:
        made, algorithm = jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()), "RS256"
    return {**json.loads(made), "kid": key_id, "alg": algorithm, "use": "sig", "key_ops": ["verify"], **more}


def pem_of(key: PrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def der_of(key: PrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def claims(**changes: Any) -> Json:
    """A person's; None leaves one out."""
    now = int(time.time())
    whole = {
        "iss": ISSUER, "sub": str(uuid.uuid4()), "aud": "authenticated", "iat": now, "exp": now + 3600,
        "email": "ann@example.com", "phone": "", "app_metadata": {"provider": "email"}, "user_metadata": {},
        "role": "authenticated", "aal": "aal1", "session_id": str(uuid.uuid4()), "is_anonymous": False, **changes,
    }  # fmt: skip
    return {name: value for name, value in whole.items() if value is not None}


def signed(key: Any = EC_KEY, algorithm: str = "ES256", key_id: str | None = "ec", **changes: Any) -> str:
    headers = changes.pop("headers", {}) | ({"kid": key_id} if key_id else {})
    return jwt.encode(claims(**changes), key, algorithm, headers)


def forged(header: Json, payload: Json, signature: bytes = b"") -> str:
    """What no library would sign."""
    pieces = [json.dumps(header).encode(), json.dumps(payload).encode(), signature]
    return ".".join(base64.urlsafe_b64encode(piece).rstrip(b"=").decode() for piece in pieces)


class Published:
    """What the identity server answers when its keys are asked for, and how often it was."""

    def __init__(self, *keys: Json) -> None:
        self.keys = list(keys)
        self.answer: httpx.Response | Exception | None = None
        self.asked = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer or httpx.Response(200, json={"keys": self.keys})

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(self))


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now
