import { type DiffResult, noDiff, type PropertyDiff } from '../../../providers/provider.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { containsPath, parsePath } from '../../../values/path.ts'
import type { StepReason } from '../../step.ts'

/** The change that a difference requires, with the reason for it. */
export type ChangeDecision =
  | { readonly kind: 'same' }
  | { readonly kind: 'update'; readonly reason: StepReason }
  | { readonly kind: 'replace'; readonly reason: StepReason; readonly deleteBeforeReplace: boolean }

/** The path with which the option `replaceOnChanges` refers to the init errors of a resource. */
const initErrorKey = '#initerror'

/**
 * Creates a difference without a request to the provider. With a `key`, the difference requires a
 * replacement because of this key. With '', the difference only states a change.
 */
export function createForcedDiff(key: string): DiffResult {
  return { ...noDiff, changes: 'some', replaceKeys: key === '' ? [] : [key] }
}

/**
 * Decides the change that a difference requires. `replaceOnChanges` turns matching changes into
 * replacements. Init errors require at least an update. A changed `replacementTrigger`
 * (`isTriggered`) and an unfinished replacement of an earlier deployment require a replacement.
 * Source: docs/spec/step-generation.md#diff-decision, docs/spec/provider-protocol.md#diff.
 */
export function decideChange(
  old: Pick<ResourceState, 'initErrors' | 'pendingReplacement'>,
  diff: DiffResult,
  options: { readonly replaceOnChanges: readonly string[]; readonly isTriggered: boolean },
): ChangeDecision {
  const hasInitErrors = old.initErrors.length > 0
  const effectiveDiff = applyReplaceOnChanges(diff, hasInitErrors, options.replaceOnChanges)
  const reason: StepReason = {
    keys: effectiveDiff.replaceKeys,
    diffs: effectiveDiff.changedKeys,
    detailedDiff: effectiveDiff.detailedDiff,
  }
  const hasDiff = effectiveDiff.changes === 'some'
  const mustReplace =
    (hasDiff && isReplacement(effectiveDiff)) || options.isTriggered || old.pendingReplacement
  if (mustReplace)
    return { kind: 'replace', reason, deleteBeforeReplace: effectiveDiff.deleteBeforeReplace }
  return hasDiff || hasInitErrors ? { kind: 'update', reason } : { kind: 'same' }
}

/** Reports whether a difference requires a replacement. */
export function isReplacement(diff: DiffResult): boolean {
  if (diff.replaceKeys.length > 0) return true
  for (const { kind } of diff.detailedDiff?.values() ?? [])
    if (kind.endsWith('-replace')) return true
  return false
}

/**
 * Turns the changes of a difference that match the program's patterns into replacements. Returns
 * the new difference. Throws VALUE_MALFORMED for an invalid path in the patterns or in the detailed
 * difference.
 */
export function applyReplaceOnChanges(
  diff: DiffResult,
  hasInitErrors: boolean,
  patterns: readonly string[],
): DiffResult {
  if (diff.changes !== 'some' && !hasInitErrors) return diff
  const patternPaths = patterns.map(pattern => parsePath(pattern))
  const isMatched = (path: string): boolean => {
    const segments = parsePath(path)
    return patternPaths.some(pattern => containsPath(pattern, segments))
  }
  const detailedDiff =
    diff.detailedDiff === null ? null : markReplacements(diff.detailedDiff, isMatched)
  const matchingKeys = diff.changedKeys.filter(key => isPath(key) && isMatched(key))
  const replaceKeys = new Set([...diff.replaceKeys, ...matchingKeys])
  if (!hasInitErrors || !isMatched(initErrorKey))
    return { ...diff, replaceKeys: [...replaceKeys], detailedDiff }
  replaceKeys.add(initErrorKey)
  detailedDiff?.set(initErrorKey, { kind: 'update-replace', inputDiff: false })
  return { ...diff, changes: 'some', replaceKeys: [...replaceKeys], detailedDiff }
}

function markReplacements(
  detailedDiff: ReadonlyMap<string, PropertyDiff>,
  isMatched: (path: string) => boolean,
): Map<string, PropertyDiff> {
  const markedDiff = new Map<string, PropertyDiff>()
  for (const [path, entry] of detailedDiff)
    markedDiff.set(path, isMatched(path) ? { ...entry, kind: toReplaceKind(entry.kind) } : entry)
  return markedDiff
}

function toReplaceKind(kind: PropertyDiff['kind']): PropertyDiff['kind'] {
  switch (kind) {
    case 'add':
    case 'add-replace':
      return 'add-replace'
    case 'delete':
    case 'delete-replace':
      return 'delete-replace'
    case 'update':
    case 'update-replace':
      return 'update-replace'
    default:
      return kind satisfies never
  }
}

/**
 * Reports whether a key of a diff is a valid path. A provider may return other keys, which match no
 * pattern.
 */
function isPath(key: string): boolean {
  try {
    parsePath(key)
    return true
  } catch {
    return false
  }
}
