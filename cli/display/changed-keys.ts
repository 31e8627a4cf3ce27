import type { StepMetadata } from '../../shared/engine/events/event.ts'

/** The changed top-level properties of a step, as `diff: +added,-removed,~changed`; '' for none. */
export function changedKeys(metadata: StepMetadata): string {
  const { old, new: next } = metadata
  if (old === null || next === null) return ''
  const keys = new Set((metadata.diffs ?? []).map(topLevel))
  for (const path of Object.keys(metadata.detailedDiff ?? {})) keys.add(topLevel(path))
  const shown = [...keys].filter(isShownKey).sort()
  if (shown.length === 0) return ''
  const marked = shown.map(key => {
    if (!Object.hasOwn(old.inputs, key) && Object.hasOwn(next.inputs, key)) return `+${key}`
    if (Object.hasOwn(old.inputs, key) && !Object.hasOwn(next.inputs, key)) return `-${key}`
    return `~${key}`
  })
  return `diff: ${marked.join(',')}`
}

/** Whether people are shown a property: names with two underscores belong to SDKs. */
export function isShownKey(key: string): boolean {
  return !key.startsWith('__')
}

/** The property that a path begins with: `tags.a`, `tags[0]` and `["tags"].a` begin with `tags`. */
function topLevel(path: string): string {
  const quoted = /^\["((?:[^"\\]|\\.)*)"\]/.exec(path)?.[1]
  return quoted ?? /^[^.[]+/.exec(path)?.[0] ?? path
}
