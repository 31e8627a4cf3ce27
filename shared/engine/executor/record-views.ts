import { timedCallOfStep } from './duration-key.ts'
import { nameOf, typeOf } from '../../names/urn.ts'
import type { View, ViewRequest } from '../../providers/views.ts'
import type { ResourceState } from '../../state/resource.ts'
import { createRedactor, collectSecretTexts } from '../../values/redact-secrets.ts'
import { type Step, stepOf } from '../step.ts'
import { type StepEnd, successEndOf, type ViewEnd } from '../step-end.ts'
import type { ViewStatusRegistry } from './view-status-registry.ts'
import { viewEndOf, type ViewOwner } from './view-steps.ts'

/** The registry for view steps, and the address of its service. */
export interface ViewsDeps {
  readonly registry: ViewStatusRegistry
  /** `127.0.0.1:<port>` */
  readonly address: () => string
}

/** A provider call during which the view steps of its resource are recorded. */
export interface ViewedCall {
  /** The fields about views in the provider request. */
  readonly viewRequest: ViewRequest
  /** Stops recording, and returns the view steps with their ends, in the order of their reports. */
  readonly close: () => readonly ViewEnd[]
}

/**
 * Records the view steps that a provider reports during the call of a step. Calls `onStep` for each
 * view step.
 */
export function recordViews(step: Step, deps: ViewsDeps, onStep: (step: Step) => void): ViewedCall {
  const owner = ownerOf(step)
  const views: ViewEnd[] = []
  const { token, close } = deps.registry.open(reportedStep => {
    const view = viewEndOf(reportedStep, owner)
    views.push(redactViewEnd(view, step))
    onStep(view.step)
  })
  const status = { address: deps.address(), token }
  return {
    viewRequest: { status, views: owner.views.map(({ state }) => toProviderView(state)) },
    close() {
      close()
      return views
    },
  }
}

function ownerOf(step: Step): ViewOwner {
  return {
    urn: step.urn,
    views: step.views ?? [],
    isRefresh: step.op === 'refresh',
    isCreate: timedCallOfStep(step) === 'create',
  }
}

/** Returns a view as its owner's provider receives it. */
function toProviderView({ urn, parent, viewOf, inputs, outputs }: ResourceState): View {
  const hasParentView = parent !== '' && parent !== viewOf
  return {
    type: typeOf(urn),
    name: nameOf(urn),
    parentType: hasParentView ? typeOf(parent) : '',
    parentName: hasParentView ? nameOf(parent) : '',
    inputs,
    outputs,
  }
}

/**
 * Replaces secrets of the resource and the view in an error, so that none gets into a record (I8).
 */
function redactViewEnd({ step, end }: ViewEnd, { next, old }: Step): ViewEnd {
  if (end.error === undefined) return { step, end }
  const maps = [step.next, step.old?.state, next, old?.state].flatMap(state =>
    state === undefined ? [] : [state.inputs, state.outputs],
  )
  const message = createRedactor(collectSecretTexts(...maps))(end.error.message)
  return { step, end: { ...end, error: { ...end.error, message } } }
}

/**
 * Returns the end of a step with the ends of its views. If a view failed and the owner succeeded,
 * the end is partial, because the owner's change took place. A delete ends as failed instead.
 */
export function withViews(step: Step, end: StepEnd, views: readonly ViewEnd[]): StepEnd {
  if (views.length === 0) return end
  const failedView = views.find(view => view.end.error !== undefined)
  if (failedView === undefined || end.verdict !== 'succeeded') return { ...end, views }
  if (step.next !== undefined || step.op === 'refresh') return { ...end, verdict: 'partial', views }
  const message = `its view '${nameOf(failedView.step.urn)}' failed: ${failedView.end.error?.message ?? ''}`
  const error = { message, status: failedView.end.error?.status ?? 'ok' }
  return { ...end, verdict: 'failed', error, views }
}

/**
 * Returns the views of a previewed delete with their ends. The views are deleted with their owner,
 * and no provider reports them in a preview. Source: docs/spec/step-execution.md#step-kinds.
 */
export function previewViewDeletes({ views = [] }: Step): readonly ViewEnd[] {
  return views.map(old => ({
    step: stepOf({ op: 'delete', effect: 'remove', old }),
    end: successEndOf(undefined),
  }))
}
