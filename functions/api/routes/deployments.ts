import { listUndelivered } from '../../../shared/engine/deployment/recovery/list-undelivered.ts'
import { isOpenDeployment } from '../../../shared/ports/open-deployments.ts'
import { readHistoryRecord } from '../../../shared/engine/deployment/retention/read-history-and-versions.ts'
import * as z from 'zod'
import { redriveDeployment } from '../../../shared/engine/deployment/recovery/redrive.ts'
import { createError } from '../../../shared/errors/error.ts'
import type { HistoryRecord, StackRecord } from '../../../shared/ports/catalog.ts'
import {
  deploymentIdOf,
  deploymentPartsOf,
  type DeploymentId,
  type LogNumber,
} from '../../../shared/records/ids.ts'
import { freeDeploymentCost, sumDeploymentCost } from '../../../shared/records/deployment-cost.ts'
import { requireStack } from '../../../shared/runtime/state/export-state.ts'
import { readCourse } from '../../../shared/runtime/forecast/read-course.ts'
import { readDeploymentTimeline } from '../../../shared/runtime/state/state-at-time.ts'
import { cutResultPage, parseCursor, createPageForm, pageQuery } from '../../../shared/api/pages.ts'
import { costView } from '../cost-view.ts'
import { courseView } from '../course-view.ts'
import {
  type ApiPorts,
  type RouteCall,
  defineRoute,
  stackOf,
} from '../../../shared/api/define-route.ts'

/** A deployment in the history of a stack, as the API shows it. */
export const deploymentView = z.object({
  number: z.number(),
  deployment: z.string(),
  command: z.string(),
  message: z.string(),
  /** The requester, for display. Absent for deployments of older versions. */
  by: z.string().optional(),
  /** The approval of the applied plan, at a time in ms since 1970. Absent without one. */
  approval: z
    .object({ by: z.string(), at: z.number().optional(), note: z.string().optional() })
    .optional(),
  startedAt: z.number(),
  endedAt: z.number().optional(),
  /** Absent while the deployment is open. */
  result: z.string().optional(),
  changes: z.record(z.string(), z.number()).optional(),
  version: z.number().optional(),
})

const path = '/v1/stacks/{project}/{stack}/deployments'
const deploymentRoute = { scope: 'stack', path: `${path}/{number}` } as const
const recordForm = z.looseObject({})

/** Routes for listing, inspecting and controlling deployments. */
export const deploymentRoutes = [
  defineRoute({
    method: 'GET',
    path,
    role: 'read',
    scope: 'stack',
    summary:
      'List the deployments of a stack, newest first; the cursor is a number before which the page begins',
    query: z.object(pageQuery),
    output: createPageForm(deploymentView),
    run: async (ports, { params, query: { limit, cursor } }) => {
      const record = await requireStack(ports, stackOf(params))
      const beforeNumber = cursor === '' ? record.deployments + 1 : parseCursor(cursor)
      const items = (await ports.catalog.listHistory(record.id, limit, beforeNumber)).map(
        deploymentViewOf,
      )
      const lastNumber = items.at(-1)?.number ?? 1
      return { json: lastNumber > 1 ? { items, next: String(lastNumber) } : { items } }
    },
  }),
  defineRoute({
    ...deploymentRoute,
    method: 'GET',
    role: 'read',
    summary: 'A deployment',
    output: deploymentView.extend({
      stop: z.string().optional(),
      holder: z.string().optional(),
      /**
       * The number of operations with dead letters. Absent for an ended deployment, and always 0
       * on AWS.
       */
      undelivered: z.number().optional(),
    }),
    run: async (ports, { params }) => {
      const { record, id } = await requireDeployment(ports, params)
      const control = record.result === undefined ? await ports.control.read(id) : undefined
      const controlFields =
        control === undefined
          ? {}
          : {
              stop: control.stop,
              holder: control.holder.who,
              undelivered: (await listUndelivered(ports, id)).length,
            }
      return { json: { ...deploymentViewOf(record), ...controlFields } }
    },
  }),
  defineRoute({
    ...deploymentRoute,
    method: 'POST',
    path: `${path}/{number}/cancel`,
    role: 'deploy',
    summary: 'Stop an open deployment; with force, abandon its running operations',
    body: z.strictObject({ force: z.boolean().default(false) }).default({ force: false }),
    status: 202,
    output: z.object({ kind: z.enum(['none', 'asked', 'asked before']), number: z.number() }),
    run: async (ports, { params, body: { force } }) => {
      const { id, stack, number } = await requireDeployment(ports, params)
      if (!isOpenDeployment(stack, id)) return { json: { kind: 'none', number } }
      const stopBefore = (await ports.control.read(id))?.stop ?? 'none'
      const stop = force ? 'forced' : 'graceful'
      await ports.control.stop(id, stop)
      // If no living process holds the deployment, the receiver of the nudge closes it.
      await ports.nudges.nudge(stack.id, 0)
      const isNewStop = stopBefore === 'none' || (force && stopBefore === 'graceful')
      return { json: { kind: isNewStop ? 'asked' : 'asked before', number } }
    },
  }),
  defineRoute({
    ...deploymentRoute,
    method: 'POST',
    path: `${path}/{number}/redrive`,
    role: 'deploy',
    summary: 'Send the dead letters of an open deployment again',
    output: z.object({
      kind: z.enum(['none', 'stopped', 'nothing', 'sent']),
      operations: z.number().optional(),
    }),
    run: async (ports, { params }) => {
      const { id, stack } = await requireDeployment(ports, params)
      const redriveResult = await redriveDeployment(ports, id)
      if (redriveResult.kind === 'sent') await ports.nudges.nudge(stack.id, 0)
      return { json: redriveResult }
    },
  }),
  defineRoute({
    ...deploymentRoute,
    method: 'POST',
    path: `${path}/{number}/resume`,
    role: 'deploy',
    summary: 'Check an open deployment now, so that a server resumes an interrupted one',
    status: 202,
    output: z.object({ nudged: z.boolean() }),
    run: async (ports, { params }) => {
      const { id, stack, number } = await requireDeployment(ports, params)
      if (!isOpenDeployment(stack, id))
        throw createError('NOTHING_TO_RESUME', `deployment ${number} of the stack is not open`)
      await ports.nudges.nudge(stack.id, 0)
      return { json: { nudged: true } }
    },
  }),
  defineRoute({
    ...deploymentRoute,
    method: 'GET',
    path: `${path}/{number}/steps`,
    role: 'read',
    summary: 'List the steps of a deployment by time',
    query: z.object(pageQuery),
    output: createPageForm(
      z.object({
        moment: z.string(),
        at: z.number(),
        /** The kind of the step, such as `create`. */
        what: z.string(),
        urn: z.string().optional(),
        /** The verdict of the operation, or `open` for one without an end. */
        verdict: z.string().optional(),
      }),
    ),
    run: async (ports, { params, query }) => {
      const { stack, number } = await requireDeployment(ports, params)
      const { moments } = await readDeploymentTimeline(ports, stack, number)
      if (moments === undefined)
        throw createError('RECORDS_REMOVED', `the records of deployment ${number} were removed`)
      return {
        json: cutResultPage(
          moments.filter(({ urn }) => urn !== undefined),
          query,
        ),
      }
    },
  }),
  defineRoute({
    ...deploymentRoute,
    method: 'GET',
    path: `${path}/{number}/course`,
    role: 'read',
    summary: 'The critical path of a deployment, and the parts of its duration',
    output: courseView,
    run: async (ports, { params }) => {
      const { stack, number } = await requireDeployment(ports, params)
      const { course } = await readCourse(ports, stack, number)
      if (course === undefined)
        throw createError('RECORDS_REMOVED', `deployment ${number} has no records of steps`)
      return { json: course }
    },
  }),
  defineRoute({
    ...deploymentRoute,
    method: 'GET',
    path: `${path}/{number}/cost`,
    role: 'read',
    summary: 'The counted usage of AWS by a deployment, and its cost at list prices',
    output: costView,
    run: async (ports, { params }) => {
      const { id } = await requireDeployment(ports, params)
      const { usage } = ports
      return {
        json: usage === undefined ? freeDeploymentCost : sumDeploymentCost(await usage.list(id)),
      }
    },
  }),
  defineRoute({
    ...deploymentRoute,
    method: 'GET',
    path: `${path}/{number}/journal`,
    role: 'read',
    summary:
      'List the sealed records of the decision log; the cursor is the number of the first record',
    query: z.object(pageQuery),
    output: createPageForm(recordForm),
    run: async (ports, { params, query: { limit, cursor } }) => {
      const { id } = await requireDeployment(ports, params)
      const firstNumber = parseCursor(cursor)
      // Each record also has the token of its writer, which callers do not get.
      const records = await ports.decisionLog.read(id, firstNumber as LogNumber, limit)
      const items = records.map(({ number, at, decisions, decisionsBlob }) => ({
        number,
        at,
        decisions,
        ...(decisionsBlob === undefined ? {} : { decisionsBlob }),
      }))
      const next = items.length < limit ? {} : { next: String(firstNumber + items.length) }
      return { json: { items, ...next } }
    },
  }),
]

/** A deployment of the history, with the record of its stack. */
export interface DeploymentWithStack {
  readonly id: DeploymentId
  readonly number: number
  readonly stack: StackRecord
  readonly record: HistoryRecord
}

/** Returns the deployment of a path. Throws STACK_NOT_FOUND, DEPLOYMENT_UNKNOWN. */
export async function requireDeployment(
  { catalog }: Pick<ApiPorts, 'catalog'>,
  params: RouteCall<unknown, unknown>['params'],
): Promise<DeploymentWithStack> {
  const stack = await requireStack({ catalog }, stackOf(params))
  const number = Number(params['number'])
  const id = deploymentIdOf(stack.id, number)
  const record = await readHistoryRecord(catalog, id)
  if (record === undefined)
    throw createError('DEPLOYMENT_UNKNOWN', `the stack has no deployment ${number}`)
  return { id, number, stack, record }
}

/** Returns a deployment of the history as the API shows it. */
export function deploymentViewOf(record: HistoryRecord): z.infer<typeof deploymentView> {
  const { deployment, command, message, by, approval, startedAt } = record
  const { endedAt, result, changes, version } = record
  const { number } = deploymentPartsOf(deployment)
  const startFields = { number, deployment, command, message, by, approval, startedAt }
  // JSON omits undefined fields.
  return { ...startFields, endedAt, result, changes, version }
}
