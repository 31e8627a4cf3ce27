import * as z from 'zod'
import { apiLimits } from '../../../shared/config/api-limits.ts'
import { defineRoute } from '../../../shared/api/define-route.ts'
import {
  auditSourceForm,
  exportedAuditForm,
  importedAuditIdOf,
  toImportedAudit,
} from '../imported-audit.ts'
import { createPageForm, pageQuery, parseCursor } from '../../../shared/api/pages.ts'

const access = { role: 'admin', scope: 'installation', isForAllGroups: true } as const

/** Routes of the audit log. No route changes or removes an entry. */
export const auditRoutes = [
  defineRoute({
    ...access,
    method: 'GET',
    path: '/v1/audit',
    summary: 'List the audit log of changes, newest first',
    query: z.object(pageQuery),
    output: createPageForm(
      z.looseObject({ who: z.string(), what: z.string(), importedFrom: z.string().optional() }),
    ),
    run: async ({ audit }, { query: { limit, cursor } }) => {
      const items = await audit.read(parseCursor(cursor), limit)
      const last = items.at(-1)
      const hasMore = items.length === limit && last !== undefined
      return { json: { items, ...(hasMore ? { next: String(last.position) } : {}) } }
    },
  }),
  defineRoute({
    ...access,
    method: 'GET',
    path: '/v1/audit/imported',
    summary: 'Report whether an entry of the audit log of another installation was imported',
    query: z.object({
      source: auditSourceForm,
      /** The id of the entry in the log of its source. */
      entry: z.string().max(apiLimits.auditTextCharsMax),
    }),
    output: z.object({ isImported: z.boolean() }),
    run: async ({ audit }, { query: { source, entry: idAtSource } }) => ({
      json: { isImported: await audit.has(importedAuditIdOf(source, idAtSource)) },
    }),
  }),
  defineRoute({
    ...access,
    method: 'PUT',
    // The audit log records the path, whose `id` distinguishes imports. The route ignores the id.
    path: '/v1/audit/imports/{id}',
    summary:
      'Append entries of another installation to the audit log, oldest first, marked as such',
    body: z.object({
      source: auditSourceForm,
      entries: z.array(exportedAuditForm).min(1).max(apiLimits.pageResultsMax),
    }),
    output: z.object({ entries: z.int() }),
    run: async ({ audit }, { body: { source, entries } }) => {
      // One at a time, because the order of the appends is that of the log.
      for (const entry of entries) await audit.append(toImportedAudit(source, entry))
      return { json: { entries: entries.length } }
    },
  }),
]
