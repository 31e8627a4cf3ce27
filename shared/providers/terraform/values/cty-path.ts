/** A step of a path: an attribute of an object, or an element of a list, tuple, map or set. */
export type CtyStep =
  | { readonly kind: 'attribute'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'key'; readonly key: string }
  // Elements of sets have no address in the protocol. `position` counts in the sorted set, or in
  // the input while the set is read.
  | { readonly kind: 'element'; readonly position: number }

/** The steps from a value to a part of it. */
export type CtyPath = readonly CtyStep[]

/** Returns the step to an attribute of an object. */
export function createAttributeStep(name: string): CtyStep {
  return { kind: 'attribute', name }
}

/** Returns the step to an element of a list or tuple. */
export function createIndexStep(index: number): CtyStep {
  return { kind: 'index', index }
}

/** Returns the step to an element of a map. */
export function createKeyStep(key: string): CtyStep {
  return { kind: 'key', key }
}

/** Formats a path for messages, such as `rule[0].tags["a"]`. The empty path is an empty text. */
export function formatCtyPath(path: CtyPath): string {
  let text = ''
  for (const step of path)
    switch (step.kind) {
      case 'attribute':
        text += text === '' ? step.name : `.${step.name}`
        break
      case 'index':
        text += `[${step.index}]`
        break
      case 'key':
        text += `[${JSON.stringify(step.key)}]`
        break
      case 'element':
        text += '[set element]'
        break
    }
  return text
}

/** Returns ` at 'rule[0]'` for the end of a message, or an empty text for the whole value. */
export function formatPlace(path: CtyPath): string {
  return path.length === 0 ? '' : ` at '${formatCtyPath(path)}'`
}

/** Reports whether a path is at or below another one. */
export function isAtOrBelow(path: CtyPath, ancestor: CtyPath): boolean {
  return (
    ancestor.length <= path.length &&
    ancestor.every((step, index) => areEqualSteps(step, path[index] ?? step))
  )
}

/** Reports whether two steps lead to the same part. */
export function areEqualSteps(a: CtyStep, b: CtyStep): boolean {
  switch (a.kind) {
    case 'attribute':
      return b.kind === 'attribute' && a.name === b.name
    case 'index':
      return b.kind === 'index' && a.index === b.index
    case 'key':
      return b.kind === 'key' && a.key === b.key
    case 'element':
      return b.kind === 'element' && a.position === b.position
  }
}
