import * as z from 'zod'
import { apiLimits } from '../../../shared/config/api-limits.ts'
import { createError } from '../../../shared/errors/error.ts'
import { pageQuery, createPageForm } from '../../../shared/api/pages.ts'
import { defineRoute } from '../../../shared/api/define-route.ts'
import { rotateToken } from '../rotate-token.ts'
import {
  parseToken,
  tokenKeyOf,
  tokenView,
  tokenViewOf,
} from '../../../shared/api/token-document.ts'
import { createToken, tokenDraft } from '../../../shared/api/issue-token.ts'

/** Routes of tokens. */
export const tokenRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/tokens',
    role: 'admin',
    scope: 'installation',
    isForAllGroups: true,
    summary: 'List tokens, without their secrets',
    query: z.object({ cursor: pageQuery.cursor }),
    output: createPageForm(tokenView),
    run: async ({ documents }, { query }) => {
      const { documents: storedTokens, next } = await documents.list('token', query.cursor)
      const items = storedTokens.map(stored => tokenViewOf(stored.key.name, parseToken(stored)))
      return { json: { items, ...(next === undefined ? {} : { next }) } }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/tokens',
    role: 'admin',
    scope: 'installation',
    isForAllGroups: true,
    summary: 'Create a token; only this response contains the text of the token',
    body: tokenDraft,
    status: 201,
    output: tokenView.extend({ token: z.string() }),
    run: async (ports, { body }) => ({ json: await createToken(ports, body) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/tokens/{id}/rotate',
    role: 'admin',
    scope: 'installation',
    isForAllGroups: true,
    summary: 'Give a token a new secret; only this response contains the text of the token',
    body: z.strictObject({
      /** Time for which earlier secrets remain valid. */
      overlapSeconds: z
        .int()
        .min(0)
        .max(apiLimits.overlapSecondsMax)
        .default(apiLimits.overlapSecondsDefault),
    }),
    output: tokenView.extend({ token: z.string() }),
    run: async (ports, { params, body: { overlapSeconds } }) => ({
      json: await rotateToken(ports, params['id'] ?? '', overlapSeconds),
    }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/tokens/{id}',
    role: 'admin',
    scope: 'installation',
    isForAllGroups: true,
    summary: 'Revoke a token',
    output: z.object({ revoked: z.boolean() }),
    run: async ({ documents }, { params }) => {
      const key = tokenKeyOf(params['id'] ?? '')
      const storedToken = await documents.get(key)
      if (storedToken === undefined)
        throw createError('DOCUMENT_UNKNOWN', `the token '${key.name}' does not exist`)
      if (!(await documents.remove(key, storedToken.version)))
        throw createError('DOCUMENT_CHANGED', `the token '${key.name}' was changed concurrently`)
      return { json: { revoked: true } }
    },
  }),
]
