import * as z from 'zod'
import type { ClientStep } from '../../../shared/records/client-decision.ts'
import { parseForm } from '../../../shared/values/parse-form.ts'

const stateForm = z.looseObject({
  custom: z.boolean().nullish(),
  id: z.string().nullish(),
  parent: z.string().nullish(),
  provider: z.string().nullish(),
})

const stepForm = z.looseObject({
  metadata: z.looseObject({
    op: z.string(),
    urn: z.string().min(1),
    type: z.string().min(1),
    old: stateForm.nullish(),
    new: stateForm.nullish(),
  }),
})

const eventForm = z.looseObject({
  sequence: z.number(),
  resourcePreEvent: stepForm.optional(),
  resOutputsEvent: stepForm.optional(),
  resOpFailedEvent: stepForm.optional(),
})

const createOps: ReadonlySet<string> = new Set(['create', 'create-replacement'])

/**
 * Returns the step that an engine event reports: the begin of the create of a custom resource, or
 * the end of any step. Returns none for other events.
 */
export function readClientSteps(event: unknown): readonly ClientStep[] {
  const { data } = parseForm(eventForm, event)
  if (data === undefined) return []
  const { sequence, resourcePreEvent: begun } = data
  const ended = data.resOutputsEvent ?? data.resOpFailedEvent
  if (ended !== undefined) {
    const { urn, type } = ended.metadata
    return [{ phase: 'end', sequence, resource: { urn, custom: true, type } }]
  }
  if (begun === undefined) return []
  const { op, urn, type, old, new: planned } = begun.metadata
  if (!createOps.has(op) || planned?.custom !== true) return []
  const resource = {
    ...{ urn, custom: true, type },
    ...(planned.parent ? { parent: planned.parent } : {}),
    ...(planned.provider ? { provider: planned.provider } : {}),
  }
  return [{ phase: 'begin', sequence, resource, ...(old?.id ? { oldId: old.id } : {}) }]
}
