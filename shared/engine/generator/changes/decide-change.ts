import { type DiffResult, noDiff, type PropertyDiff } from '../../../providers/provider.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { containsPath, parsePath } from '../../../values/path.ts'
import type { StepReason } from '../../step.ts'

/** The kind of change that a difference requires. */
export type ChangeVerdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'update'; readonly reason: StepReason }
  | { readonly kind: 'replace'; readonly reason: StepReason; readonly deleteBeforeReplace: boolean }

/** The path by which programs name the init errors of a resource. */
const initErrorKey = '#initerror'

/** Creates a difference without a diff by the provider: a replacement for this key. */
export function createForcedDiff(key: string): DiffResult {
  return { ...noDiff, changes: 'some', replaceKeys: key === '' ? [] : [key] }
}

/**
 * Decides the change of an old state by its difference. `replaceOnChanges` turns matching changes
 * into replacements, init errors require at least an update, and a replacement that began earlier
 * is finished. Source: docs/spec/step-generation.md#diff-decision,
 * docs/spec/provider-protocol.md#diff.
 */
export function decideChange(
  old: Pick<ResourceState, 'initErrors' | 'pendingReplacement'>,
  diff: DiffResult,
  options: { readonly replaceOnChanges: readonly string[]; readonly triggered: boolean },
): ChangeVerdict {
  const judged = applyReplaceOnChanges(diff, old.initErrors.length > 0, options.replaceOnChanges)
  const reason: StepReason = {
    keys: judged.replaceKeys,
    diffs: judged.changedKeys,
    detailedDiff: judged.detailedDiff,
  }
  const some = judged.changes === 'some' || options.triggered
  if (some || old.pendingReplacement) {
    if (isReplacement(judged) || options.triggered || old.pendingReplacement)
      return { kind: 'replace', reason, deleteBeforeReplace: judged.deleteBeforeReplace }
    return { kind: 'update', reason }
  }
  if (old.initErrors.length > 0) return { kind: 'update', reason }
  return { kind: 'same' }
}

/** Reports whether a difference requires a replacement. */
export function isReplacement(diff: DiffResult): boolean {
  if (diff.replaceKeys.length > 0) return true
  for (const { kind } of diff.detailedDiff?.values() ?? [])
    if (kind.endsWith('-replace')) return true
  return false
}

/**
 * Returns the difference with changes turned into replacements where the program's patterns match.
 * Throws VALUE_MALFORMED for an invalid path in the patterns or in the detailed difference.
 */
export function applyReplaceOnChanges(
  diff: DiffResult,
  hasInitErrors: boolean,
  patterns: readonly string[],
): DiffResult {
  if (diff.changes !== 'some' && !hasInitErrors) return diff
  const wanted = patterns.map(pattern => parsePath(pattern))
  const matches = (path: string): boolean => {
    const segments = parsePath(path)
    return wanted.some(pattern => containsPath(pattern, segments))
  }
  const detailedDiff = diff.detailedDiff === null ? null : markReplacing(diff.detailedDiff, matches)
  const changed = diff.changedKeys.filter(key => isPath(key) && matches(key))
  const replaceKeys = new Set([...diff.replaceKeys, ...changed])
  if (!hasInitErrors || !matches(initErrorKey))
    return { ...diff, replaceKeys: [...replaceKeys], detailedDiff }
  replaceKeys.add(initErrorKey)
  detailedDiff?.set(initErrorKey, { kind: 'update-replace', inputDiff: false })
  return { ...diff, changes: 'some', replaceKeys: [...replaceKeys], detailedDiff }
}

function markReplacing(
  detailed: ReadonlyMap<string, PropertyDiff>,
  matches: (path: string) => boolean,
): Map<string, PropertyDiff> {
  const turned = new Map<string, PropertyDiff>()
  for (const [path, entry] of detailed)
    turned.set(path, matches(path) ? { ...entry, kind: toReplaceKind(entry.kind) } : entry)
  return turned
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

/** A provider may name a key that is no path: it matches no pattern. */
function isPath(key: string): boolean {
  try {
    parsePath(key)
    return true
  } catch {
    return false
  }
}
