import * as z from 'zod'
import { createError } from '../errors/error.ts'
import type { DocumentKey, StoredDocument } from '../ports/documents.ts'
import { requireStack } from '../runtime/state/export-state.ts'
import { parseDocumentValue } from '../triggers/parse-document-value.ts'
import { type Schedule, scheduleDocument } from '../triggers/schedules/due-schedule.ts'
import {
  type RequestedTimes,
  type ScheduleKind,
  scheduleOperationOf,
  toScheduleView,
  kindOfSchedule,
  timesOfRequest,
} from '../triggers/schedules/pulumi-schedule.ts'
import { requireRole } from '../api/authorization.ts'
import { stackOf } from '../api/define-route.ts'
import { readDocumentsOf } from '../triggers/read-documents.ts'
import { putDocument, removeDocument, requireDocument } from '../api/document-store.ts'
import { createScheduleValue } from '../api/schedule-value.ts'
import { removeSchedulerCalls } from '../triggers/schedules/remove-scheduler-calls.ts'
import { createDeploymentForm, refuseUnsupported, withoutEmptyMembers } from './deployment-form.ts'
import { deploymentsPath } from './deployments-path.ts'
import {
  parseBody,
  type ServiceCall,
  type ServicePorts,
  type ServiceRoute,
} from './service-route.ts'

const timeForm = z.string().max(200).nullish()
const rawForm = z.looseObject({
  scheduleCron: timeForm,
  scheduleOnce: timeForm,
  request: createDeploymentForm,
})
const driftForm = z.looseObject({ scheduleCron: timeForm, autoRemediate: z.boolean().nullish() })
const ttlForm = z.looseObject({ timestamp: timeForm, deleteAfterDestroy: z.boolean().nullish() })

/** The times and the operation of a schedule that a client requests. */
interface ScheduleRequest {
  readonly times: RequestedTimes
  readonly operation: Schedule['operation']
  /** For a ttl: whether the stack is removed after the destroy. */
  readonly removesStack?: boolean
}

/**
 * Pulumi's kinds of schedules: any operation (`raw`), the detection of drift, and a destroy at the
 * end of a time to live (`ttl`). Each has a path, and a function that reads the body of a request.
 */
const kinds: Readonly<
  Record<
    ScheduleKind,
    { readonly path: string; readonly read: (call: ServiceCall) => ScheduleRequest }
  >
> = {
  raw: { path: `${deploymentsPath}/schedules`, read: readRawBody },
  drift: { path: `${deploymentsPath}/drift/schedules`, read: readDriftBody },
  ttl: { path: `${deploymentsPath}/ttl/schedules`, read: readTtlBody },
}

const { path: listPath } = kinds.raw

/** Routes for the schedules of a stack. They are the schedules of our own API. */
export const serviceScheduleRoutes: readonly ServiceRoute[] = [
  {
    method: 'GET',
    path: listPath,
    role: 'read',
    run: async (ports, { params }) => {
      const { id: stack } = await requireStack(ports, stackOf(params))
      const schedules = []
      for await (const stored of readDocumentsOf(ports.documents, 'schedule', stack))
        if (scheduleDocument.safeParse(stored.value).success) schedules.push(viewOf(ports, stored))
      return { schedules }
    },
  },
  {
    method: 'GET',
    path: `${listPath}/{schedule}`,
    role: 'read',
    run: async (ports, call) => viewOf(ports, await requireDocument(ports, keyOf(call))),
  },
  {
    method: 'DELETE',
    path: `${listPath}/{schedule}`,
    role: 'deploy',
    run: async (ports, call) => {
      await removeDocument(ports, keyOf(call), value => removeSchedulerCalls(ports, value))
      return {}
    },
  },
  ...Object.entries(kinds).flatMap(([kind, { path, read }]): readonly ServiceRoute[] => [
    {
      method: 'POST',
      path,
      role: 'deploy',
      run: async (ports, call) => {
        const { id: scope } = await requireStack(ports, stackOf(call.params))
        const name = `pulumi-${ports.random.uuid().slice(-12)}`
        return putSchedule(ports, { kind: 'schedule', scope, name }, read(call))
      },
    },
    {
      method: 'POST',
      path: `${path}/{schedule}`,
      role: 'deploy',
      run: async (ports, call) => {
        const key = keyOf(call)
        const stored = parseDocumentValue(scheduleDocument, await requireDocument(ports, key))
        const actualKind = kindOfSchedule(stored)
        if (actualKind !== kind)
          throw createError(
            'API_INPUT_INVALID',
            `the schedule is of the kind ${actualKind}, not ${kind}`,
          )
        return putSchedule(ports, key, read(call))
      },
    },
  ]),
]

function keyOf({ params }: ServiceCall): DocumentKey {
  return { kind: 'schedule', scope: stackOf(params), name: params['schedule'] ?? '' }
}

function readRawBody(call: ServiceCall): ScheduleRequest {
  const { request, scheduleCron, scheduleOnce, ...otherMembers } = parseBody(rawForm, call)
  const { operation, inheritSettings: _inheritSettings, ...settings } = request
  const isDrift = operation === 'detect-drift'
  const remediateMember = 'operationContext.options.remediateIfDriftDetected'
  refuseUnsupported(withoutEmptyMembers(otherMembers), [])
  refuseUnsupported(withoutEmptyMembers(settings), isDrift ? [remediateMember] : [])
  // No member except `remediateMember` can be left.
  const remediate = isDrift && withoutEmptyMembers(settings) !== undefined
  const times = { scheduleCron, scheduleOnce }
  return { times, operation: scheduleOperationOf(operation, remediate) }
}

function readDriftBody(call: ServiceCall): ScheduleRequest {
  const { scheduleCron, autoRemediate, ...otherMembers } = parseBody(driftForm, call)
  refuseUnsupported(withoutEmptyMembers(otherMembers), [])
  return {
    times: { scheduleCron },
    operation: { kind: 'refresh', remediate: autoRemediate ?? false },
  }
}

function readTtlBody(call: ServiceCall): ScheduleRequest {
  const { timestamp, deleteAfterDestroy, ...otherMembers } = parseBody(ttlForm, call)
  refuseUnsupported(withoutEmptyMembers(otherMembers), [])
  const removesStack = deleteAfterDestroy === true
  if (removesStack) requireRole(call.caller, 'admin', "the field 'deleteAfterDestroy'")
  return { times: { scheduleOnce: timestamp }, operation: { kind: 'destroy' }, removesStack }
}

/**
 * Creates a schedule, or changes its times and operation. A change keeps the other settings, such
 * as a pause.
 */
async function putSchedule(
  ports: ServicePorts,
  key: DocumentKey,
  { times, operation, removesStack = false }: ScheduleRequest,
): Promise<unknown> {
  await putDocument(ports, key, {
    createValue: storedPrevious => {
      const previous =
        storedPrevious === undefined
          ? undefined
          : parseDocumentValue(scheduleDocument, storedPrevious)
      const { isPaused = false, jitterMs = 0 } = previous ?? {}
      const draft = {
        ...timesOfRequest(times, previous),
        operation,
        isPaused,
        jitterMs,
        ...(removesStack ? { removesStack } : {}),
      }
      return createScheduleValue(ports, key, draft, storedPrevious)
    },
    show: () => undefined,
    removeRelated: value => removeSchedulerCalls(ports, value),
  })
  return viewOf(ports, await requireDocument(ports, key))
}

function viewOf({ clock }: Pick<ServicePorts, 'clock'>, stored: StoredDocument): object {
  return toScheduleView(stored.key, parseDocumentValue(scheduleDocument, stored), clock.now())
}
