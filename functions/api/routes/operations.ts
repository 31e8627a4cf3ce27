import * as z from 'zod'
import { apiLimits } from '../../../shared/config/api-limits.ts'
import type { OperationTimes } from '../../../shared/engine/forecast/operation-times.ts'
import type { Outcome } from '../../../shared/records/head.ts'
import type { OperationId } from '../../../shared/records/ids.ts'
import {
  type OperationRecords,
  readOperationRecords,
  readOperations,
  type RecordedAttempt,
} from '../../../shared/runtime/forecast/read-operations.ts'
import { readChangedOperations } from '../../../shared/runtime/forecast/read-changed-operations.ts'
import { defineRoute } from '../../../shared/api/define-route.ts'
import { createPageForm, pageQuery, parseCursor } from '../../../shared/api/pages.ts'
import { requireDeployment } from './deployments.ts'

const stage = z.enum(['waiting', 'ready', 'running', 'ended'])
const nameFields = { id: z.number(), op: z.string(), urn: z.string() }

/** An operation of a deployment with its times; see `OperationTimes`. */
const operationView = z.object({
  ...nameFields,
  stage,
  verdict: z.string().optional(),
  attempts: z.number(),
  decidedAt: z.number(),
  readyAt: z.number().optional(),
  /** Absent until the operation has an outcome. */
  beganAt: z.number().optional(),
  endedAt: z.number().optional(),
  callMs: z.number(),
  slotMs: z.number(),
  limitMs: z.number(),
  retryMs: z.number(),
  isCritical: z.boolean(),
  /** The operation whose end made this one ready. */
  causeId: z.number().optional(),
  /** The wave of a delete, from 1. */
  wave: z.number().optional(),
})

/** The reason why an operation does not run; see `OperationWait`. */
const waitView = z.object({
  kind: z.enum(['none', 'operations', 'stopped', 'undelivered', 'hook', 'slots', 'delivery']),
  operations: z
    .array(z.object({ ...nameFields, stage, verdict: z.string().optional() }))
    .optional(),
  count: z.number().optional(),
  running: z.number().optional(),
})

/** An attempt. Only one with an outcome has the optional fields; see `Outcome`. */
const attemptView = z.object({
  attempt: z.number(),
  verdict: z.string().optional(),
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  pausedMs: z.number().optional(),
  isLimited: z.boolean().optional(),
  error: z
    .object({ message: z.string(), status: z.string(), code: z.string().optional() })
    .optional(),
})

/** The records of an operation without states, inputs and outputs; see `OperationRecords`. */
const operationRecordsView = z.object({
  ...nameFields,
  needs: z.number(),
  arrived: z.number(),
  givenBack: z.number(),
  executor: z.string(),
  hook: z.enum(['before', 'after']).optional(),
  times: operationView.optional(),
  wait: waitView,
  attempts: z.array(attemptView),
})

const path = '/v1/stacks/{project}/{stack}/deployments/{number}/operations'

const countForm = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const idPattern = '(0|[1-9]\\d{0,14})'
/** Ids with commas between them. */
const idsForm = z
  .string()
  .max(apiLimits.operationIdsCharsMax)
  .regex(new RegExp(`^(${idPattern}(,${idPattern})*)?$`))
  .default('')
  .transform(text => (text === '' ? [] : text.split(',').map(id => Number(id) as OperationId)))

/** Routes for the operations of a deployment: their times, and their records. */
export const operationRoutes = [
  defineRoute({
    method: 'GET',
    path,
    role: 'read',
    scope: 'stack',
    summary: 'List the operations of a deployment with their times, in the order of decision',
    query: z.object({
      ...pageQuery,
      limit: z.coerce.number().int().min(1).max(apiLimits.operationsPerPageMax).default(1_000),
    }),
    output: createPageForm(operationView).extend({ parallel: z.number(), count: z.number() }),
    run: async (ports, { params, query }) => {
      const { record } = await requireDeployment(ports, params)
      const page = { start: parseCursor(query.cursor), limit: query.limit }
      const { operations, parallel, count } = await readOperations(ports, record, page)
      const end = page.start + page.limit
      const next = end < count ? { next: String(end) } : {}
      return { json: { items: operations.map(operationViewOf), ...next, parallel, count } }
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/changes`,
    role: 'read',
    scope: 'stack',
    summary:
      'List the operations decided after the first `count` ones, those of `ids`, and those that they released',
    query: z.object({ count: countForm, ids: idsForm }),
    output: z.object({
      items: z.array(operationView.omit({ isCritical: true })),
      count: z.number(),
      hasMore: z.boolean(),
      parallel: z.number(),
    }),
    run: async (ports, { params, query }) => {
      const { record } = await requireDeployment(ports, params)
      const { operations, ...position } = await readChangedOperations(ports, record, query)
      return { json: { ...position, items: operations.map(changedViewOf) } }
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/records`,
    role: 'read',
    scope: 'stack',
    summary:
      'The records of the operations of a resource: begins, attempts, outcomes, and the reason of a wait',
    query: z.object({ urn: z.string().min(1).max(apiLimits.urnCharsMax) }),
    output: z.object({ items: z.array(operationRecordsView), parallel: z.number() }),
    run: async (ports, { params, query: { urn } }) => {
      const { record } = await requireDeployment(ports, params)
      const { operations, parallel } = await readOperationRecords(ports, record, urn)
      return { json: { items: operations.map(recordsViewOf), parallel } }
    },
  }),
]

function operationViewOf(times: OperationTimes): z.input<typeof operationView> {
  const { operation, decidedMs, readyMs, beganMs, endedMs, ...fields } = times
  const { id, op, urn } = operation
  // JSON omits undefined fields.
  return {
    id,
    op,
    urn,
    ...fields,
    decidedAt: decidedMs,
    readyAt: readyMs,
    beganAt: beganMs,
    endedAt: endedMs,
  }
}

/** Returns an operation without `isCritical`, which depends on all operations. */
function changedViewOf(times: OperationTimes): Omit<z.input<typeof operationView>, 'isCritical'> {
  const { isCritical: _isCritical, ...view } = operationViewOf(times)
  return view
}

function recordsViewOf(records: OperationRecords): z.input<typeof operationRecordsView> {
  const { operation, head, times, wait, attempts } = records
  const { id, op, urn, needs, hook } = operation
  return {
    id,
    op,
    urn,
    needs,
    arrived: head?.arrived.length ?? 0,
    givenBack: head?.givenBack ?? 0,
    executor: head?.executor ?? '',
    hook: hook?.when,
    times: times === undefined ? undefined : operationViewOf(times),
    wait: wait.kind === 'operations' ? { ...wait, operations: [...wait.operations] } : wait,
    attempts: attempts.map(attemptViewOf),
  }
}

/** Returns an attempt without its state. */
function attemptViewOf({ attempt, outcome }: RecordedAttempt): z.input<typeof attemptView> {
  return { attempt, ...(outcome === undefined ? {} : outcomeViewOf(outcome)) }
}

function outcomeViewOf(outcome: Outcome): Omit<z.input<typeof attemptView>, 'attempt'> {
  const { verdict, startedAt, endedAt, pausedMs, isLimited, error } = outcome
  const { message, status, code } = error ?? {}
  return {
    verdict,
    startedAt,
    endedAt,
    pausedMs,
    isLimited,
    error: message === undefined || status === undefined ? undefined : { message, status, code },
  }
}
