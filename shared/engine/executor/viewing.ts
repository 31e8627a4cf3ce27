import { nameOf, typeOf } from '../../names/urn.ts'
import type { View, Viewing } from '../../providers/views.ts'
import type { ResourceState } from '../../state/resource.ts'
import { scrubber, secretTexts } from '../../values/scrub.ts'
import { type Step, stepOf } from '../step.ts'
import { type StepEnd, succeeded, type ViewEnd } from '../step-end.ts'
import type { StatusDesk } from './status-desk.ts'
import { viewEndOf, type ViewOwner } from './view-steps.ts'

/** Where providers may tell of views, and who hears of it at once. */
export interface ViewsDeps {
  readonly desk: StatusDesk
  /** `127.0.0.1:<port>` */
  readonly address: () => string
}

/** One call, as far as views go. */
export interface ViewedCall {
  /** What the provider is told. */
  readonly told: Viewing
  /** Ends listening, and answers what was published, in order. */
  readonly close: () => readonly ViewEnd[]
}

/**
 * Listens to what a provider publishes during the call of a step. `tell`: at each step of a view.
 */
export function viewCall(step: Step, deps: ViewsDeps, tell: (step: Step) => void): ViewedCall {
  const owner = ownerOf(step)
  const views: ViewEnd[] = []
  const { token, giveBack } = deps.desk.lend(published => {
    const view = viewEndOf(published, owner)
    views.push(scrubbed(view, step))
    tell(view.step)
  })
  const status = { address: deps.address(), token }
  return {
    told: { status, views: owner.views.map(({ state }) => shownTo(state)) },
    close() {
      giveBack()
      return views
    },
  }
}

function ownerOf(step: Step): ViewOwner {
  return {
    urn: step.urn,
    views: step.views ?? [],
    isRefresh: step.op === 'refresh',
    isReplacing: step.op === 'create-replacement' || step.op === 'create',
  }
}

/** A view as its owner's provider is told of it. */
function shownTo({ urn, parent, viewOf, inputs, outputs }: ResourceState): View {
  const isBelow = parent !== '' && parent !== viewOf
  return {
    type: typeOf(urn),
    name: nameOf(urn),
    parentType: isBelow ? typeOf(parent) : '',
    parentName: isBelow ? nameOf(parent) : '',
    inputs,
    outputs,
  }
}

/** No secret of the resource or of the view gets into a record by way of an error (I8). */
function scrubbed({ step, end }: ViewEnd, { next, old }: Step): ViewEnd {
  if (end.error === undefined) return { step, end }
  const maps = [step.next, step.old?.state, next, old?.state].flatMap(state =>
    state === undefined ? [] : [state.inputs, state.outputs],
  )
  const message = scrubber(secretTexts(...maps))(end.error.message)
  return { step, end: { ...end, error: { ...end.error, message } } }
}

/**
 * An end with what became of the views: one of which the provider says that it failed makes its
 * owner fail, whose own change took place all the same. A delete of which that is said is not taken
 * for done.
 */
export function withViews(step: Step, end: StepEnd, views: readonly ViewEnd[]): StepEnd {
  if (views.length === 0) return end
  const bad = views.find(view => view.end.error !== undefined)
  if (bad === undefined || end.verdict !== 'succeeded') return { ...end, views }
  if (step.next !== undefined || step.op === 'refresh') return { ...end, verdict: 'partial', views }
  const message = `its view '${nameOf(bad.step.urn)}' failed: ${bad.end.error?.message ?? ''}`
  const error = { message, status: bad.end.error?.status ?? 'ok' }
  return { ...end, verdict: 'failed', error, views }
}

/**
 * A previewed delete, of which no provider tells: its views go with it. Source:
 * docs/spec/step-execution.md#step-kinds.
 */
export function deletedViews({ views = [] }: Step): readonly ViewEnd[] {
  return views.map(old => ({
    step: stepOf({ op: 'delete', effect: 'remove', old }),
    end: succeeded(undefined),
  }))
}
