import { createLogView } from '../../shared/engine/deployment/log/log-view.ts'
import { fold } from '../../shared/journal/fold.ts'
import { mergeStates } from '../../shared/journal/merge-states.ts'
import type { TargetedDeployment } from '../../shared/ports/catalog.ts'
import type { LogNumber } from '../../shared/records/ids.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { foldInputOf, inputOfClose } from './fold-law.ts'
import { readStateBlob } from './read-state-blob.ts'
import type { World } from './world.ts'

/** The records of an open targeted deployment so far, folded, and the state that it began on. */
export interface TargetedFold {
  readonly base: StoredDeployment
  readonly folded: StoredDeployment
  /** The folds that a close may publish. Empty before the close. */
  readonly closingFolds: readonly StoredDeployment[]
}

/** Returns the folds of the open targeted deployments that have a pin. */
export function listTargetedFolds(
  world: World,
  targeted: readonly TargetedDeployment[],
): readonly TargetedFold[] {
  return targeted.flatMap(({ deployment }) => {
    const input = foldInputOf(world, deployment)
    const records = world.records.log.read(deployment, 0 as LogNumber, 1e9)
    const { pin, closing } = createLogView(records, new Map())
    if (input === undefined || pin?.published === undefined) return []
    const base = readStateBlob(world, pin.published)
    const closingInputs = [true, false].map(isSwept => inputOfClose(input, isSwept))
    const closingFolds = closing === undefined ? [] : closingInputs.map(fold)
    return { base, folded: fold(input), closingFolds }
  })
}

/** Returns a published state with what the open deployments did so far. */
export function mergeOpenFolds(
  folds: readonly TargetedFold[],
  published: StoredDeployment,
): StoredDeployment {
  let current = published
  for (const { base, folded } of folds) current = mergeStates({ base, folded, current }) ?? current
  return current
}

/** Reports whether a published state is the previous one with the changes of one deployment. */
export function isPublicationOf(
  { base, closingFolds }: TargetedFold,
  { state, previous }: { readonly state: StoredDeployment; readonly previous: StoredDeployment },
): boolean {
  return closingFolds.some(folded => {
    const merged = mergeStates({ base, folded, current: previous })
    return textOf(merged ?? previous) === textOf(state) || textOf(folded) === textOf(state)
  })
}

function textOf({ resources = [], pending_operations: pending = [] }: StoredDeployment): string {
  return JSON.stringify([resources, pending])
}
