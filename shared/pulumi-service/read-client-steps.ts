import * as z from 'zod'
import type { ClientStep } from '../records/client-decision.ts'
import { parseForm } from '../values/parse-form.ts'

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
 * Returns a list with the step that an engine event reports. This is the begin of the create of a
 * custom resource, or the end of any step. The list is empty for other events.
 */
export function readClientSteps(event: unknown): readonly ClientStep[] {
  const { data } = parseForm(eventForm, event)
  if (data === undefined) return []
  const { sequence, resourcePreEvent: beginEvent } = data
  const endEvent = data.resOutputsEvent ?? data.resOpFailedEvent
  if (endEvent !== undefined) {
    const { urn, type } = endEvent.metadata
    // The replay uses only the URN of an end. The form of a resource also requires `custom`.
    return [{ phase: 'end', sequence, resource: { urn, custom: true, type } }]
  }
  if (beginEvent === undefined) return []
  const { op, urn, type, old, new: newState } = beginEvent.metadata
  if (!createOps.has(op) || newState?.custom !== true) return []
  const resource = {
    urn,
    custom: true,
    type,
    ...(newState.parent ? { parent: newState.parent } : {}),
    ...(newState.provider ? { provider: newState.provider } : {}),
  }
  return [{ phase: 'begin', sequence, resource, ...(old?.id ? { oldId: old.id } : {}) }]
}
