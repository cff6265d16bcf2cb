"""What the service key may do."""

import functools

from starlette.responses import JSONResponse, Response

from app.auth.embedded import access, admin, generated_links
from app.auth.embedded.endpoints.context import Context, Endpoint
from app.auth.embedded.errors import invalid
from app.auth.embedded.http import bearer, read, redirect_target
from app.auth.embedded.schemas import AdminUser, DeleteUser, GenerateLink

PER_PAGE = 50


def for_administrators(endpoint: Endpoint) -> Endpoint:
    @functools.wraps(endpoint)
    async def wrapped(context: Context) -> Response:
        await access.administrator(context.identity, bearer(context.request))
        return await endpoint(context)

    return wrapped


@for_administrators
async def create_user(context: Context) -> Response:
    return JSONResponse(await admin.create(context.identity, await read(context.request, AdminUser)))


@for_administrators
async def list_users(context: Context) -> Response:
    page, per_page = _number(context, "page", 1), _number(context, "per_page", PER_PAGE)
    users, total = await admin.listed(context.identity, page, per_page)
    headers = {"x-total-count": str(total), "link": _link(page, per_page, total)}
    return JSONResponse({"users": users, "aud": "authenticated"}, headers=headers)


def _number(context: Context, name: str, default: int) -> int:
    value = context.request.query_params.get(name) or str(default)
    if not value.isdecimal() or len(value) > 9:
        raise invalid(f"Bad Pagination Parameters: {name}")
    return int(value)


def _link(page: int, per_page: int, total: int) -> str:
    last = max(1, -(-total // per_page))
    pages = ([(page + 1, "next")] if page < last else []) + [(last, "last")]
    return ", ".join(f'</admin/users?page={number}&per_page={per_page}>; rel="{rel}"' for number, rel in pages)


@for_administrators
async def read_user(context: Context) -> Response:
    return JSONResponse(await admin.read(context.identity, _id(context)))


@for_administrators
async def update_user(context: Context) -> Response:
    params = await read(context.request, AdminUser)
    return JSONResponse(await admin.update(context.identity, _id(context), params))


@for_administrators
async def delete_user(context: Context) -> Response:
    params = await read(context.request, DeleteUser, optional=True)
    await admin.delete(context.identity, _id(context), soft=params.should_soft_delete)
    return JSONResponse({})


def _id(context: Context) -> str:
    return str(context.request.path_params["user_id"])


@for_administrators
async def generate_link(context: Context) -> Response:
    params = await read(context.request, GenerateLink)
    target = redirect_target(context.request, context.identity, params.redirect_to)
    return JSONResponse(await generated_links.generate(context.identity, params, target))
