import { z } from 'zod'
import { error } from '../../../shared/errors/error.ts'
import { pageQuery, pageForm } from '../pages.ts'
import { roles } from '../authorization.ts'
import { defineRoute } from '../define-route.ts'
import { createToken, tokenDraft, tokenKeyOf, tokenViewOf } from '../tokens.ts'

const view = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  stacks: z.union([z.literal('*'), z.array(z.string())]),
  createdAt: z.number(),
  expiresAt: z.number().optional(),
})

/** Routes of tokens, and of the audit log. */
export const tokenRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/tokens',
    role: 'admin',
    scope: 'installation',
    summary: 'List tokens, without their secrets',
    query: z.object({ cursor: pageQuery.cursor }),
    output: pageForm(view),
    run: async ({ documents }, { query }) => {
      const { documents: existing, next } = await documents.list('token', query.cursor)
      return { json: { items: existing.map(tokenViewOf), ...(next === undefined ? {} : { next }) } }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/tokens',
    role: 'admin',
    scope: 'installation',
    summary: 'Create a token; only this response contains its text',
    body: tokenDraft,
    status: 201,
    output: view.extend({ token: z.string() }),
    run: async (ports, { body }) => ({ json: await createToken(ports, body) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/tokens/{id}',
    role: 'admin',
    scope: 'installation',
    summary: 'Revoke a token',
    output: z.object({ revoked: z.boolean() }),
    run: async ({ documents }, { params }) => {
      const key = tokenKeyOf(params['id'] ?? '')
      const existing = await documents.get(key)
      if (existing === undefined)
        throw error('DOCUMENT_UNKNOWN', `the token '${key.name}' does not exist`)
      if (!(await documents.remove(key, existing.version)))
        throw error('DOCUMENT_CHANGED', `the token '${key.name}' was changed concurrently`)
      return { json: { revoked: true } }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/audit',
    role: 'admin',
    scope: 'installation',
    summary: 'List the audit log of changes, newest first',
    query: z.object(pageQuery),
    output: pageForm(z.looseObject({ who: z.string(), what: z.string() })),
    run: async ({ audit }, { query: { limit, cursor } }) => {
      const beforePosition = /^\d{1,16}$/.test(cursor) ? Number(cursor) : 0
      const items = await audit.read(
        Number.isSafeInteger(beforePosition) ? beforePosition : 0,
        limit,
      )
      const last = items.at(-1)
      const hasMore = items.length === limit && last !== undefined
      return { json: { items, ...(hasMore ? { next: String(last.position) } : {}) } }
    },
  }),
]
