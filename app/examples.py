"""What the service answers, shown in its description."""

from __future__ import annotations

DOCUMENT_ID = "01942f6c-8b1e-7c3a-9d52-6f0e4a7b1c90"
TEXT = "Every parent takes sixteen weeks of paid leave."
METADATA = {"author": "Ada Byron", "updated_at": "2026-11-20"}
URL = "https://wiki.example.com/hr-042"
MOMENT = "2026-11-21T05:31:00.123Z"

SUMMARY = {
    "id": DOCUMENT_ID,
    "source": "wiki",
    "external_id": "hr-042",
    "title": "Parental leave",
    "indexed_at": MOMENT,
    "status": "indexed",
}
LISTED = {**SUMMARY, "url": URL, "metadata": METADATA, "error": None, "created_at": MOMENT, "updated_at": MOMENT}
DOCUMENT = {**LISTED, "content": TEXT}
DOCUMENTS = {"documents": [LISTED], "next_cursor": None}
BATCH = {"results": [{"index": 0, **SUMMARY}], "succeeded": 1, "failed": 0}
QUERY_METADATA = {
    "query_id": "01942f6d-11aa-7b02-8c4e-2d9f0b6a5e71",
    "response_time_ms": 21,
    "sources_searched": 124,
    "sources_used": 1,
}
CITATION = {
    "id": DOCUMENT_ID,
    "title": "Parental leave",
    "source": "wiki",
    "url": URL,
    "snippet": TEXT,
    "relevance": 0.94,
    "metadata": METADATA,
}
EVIDENCE = {
    "citations": [CITATION],
    "confidence": 0.91,
    "related_questions": ["Who approves parental leave?"],
    "query_metadata": QUERY_METADATA,
}
ANSWER = {"answer": f"{TEXT} [1]", **EVIDENCE}
FOUND = {
    "results": [
        {
            "id": DOCUMENT_ID,
            "title": "Parental leave",
            "source": "wiki",
            "external_id": "hr-042",
            "url": URL,
            "snippet": TEXT,
            "score": 0.87,
            "metadata": METADATA,
        }
    ],
    "query_metadata": QUERY_METADATA,
}
STREAM = (
    'data: {"delta":"Every parent takes sixteen weeks of paid leave. [1]","done":false}\n\n'
    'data: {"done":true,"citations":[…],"confidence":0.91,"related_questions":[…],"query_metadata":{…}}\n\n'
)
ERROR = {
    "error": "Bad Request",
    "message": "The request body is not valid.",
    "code": "INVALID_REQUEST",
    "request_id": "01942f6d-5c10-7f9d-a1d4-90b7c2e8f635",
    "details": [{"field": "title", "message": "Field required."}],
}
