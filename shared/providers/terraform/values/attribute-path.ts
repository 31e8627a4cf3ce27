import {
  type CtyPath,
  type CtyStep,
  createAttributeStep,
  createIndexStep,
  createKeyStep,
} from './cty-path.ts'
import type { CtyType } from './type-system.ts'

/** A step of an `AttributePath` message. */
export type ProtocolStep =
  | { readonly kind: 'attribute'; readonly name: string }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'index'; readonly index: number }

/**
 * Converts the path that a provider sent for a part of a value of this type. The protocol has no
 * address for elements of sets, so the path ends at the set.
 */
export function readAttributePath(steps: readonly ProtocolStep[], type: CtyType): CtyPath {
  const path: CtyStep[] = []
  let current: CtyType | undefined = type
  for (const step of steps) {
    if (current?.kind === 'set') break
    const next: CtyStep = current === undefined ? toStep(step) : toStepIn(current, step)
    path.push(next)
    current = current === undefined ? undefined : typeOfPart(current, next)
  }
  return path
}

/**
 * Converts the step that leads from a value of this type to one of its parts. Providers confuse
 * keys and attributes, so the type decides which of them the step is.
 */
function toStepIn(type: CtyType, step: ProtocolStep): CtyStep {
  if (step.kind === 'key' && type.kind === 'object')
    return createAttributeStep(step.key.normalize('NFC'))
  if (step.kind === 'attribute' && type.kind === 'map')
    return createKeyStep(step.name.normalize('NFC'))
  return toStep(step)
}

function toStep(step: ProtocolStep): CtyStep {
  switch (step.kind) {
    case 'attribute':
      return createAttributeStep(step.name.normalize('NFC'))
    case 'key':
      return createKeyStep(step.key.normalize('NFC'))
    case 'index':
      return createIndexStep(step.index)
  }
}

/** Returns the type of a part, or undefined if the type of the whole does not determine it. */
function typeOfPart(type: CtyType, step: CtyStep): CtyType | undefined {
  switch (type.kind) {
    case 'list':
    case 'map':
    case 'set':
      return type.element
    case 'tuple':
      return step.kind === 'index' ? type.elements[step.index] : undefined
    case 'object':
      return step.kind === 'attribute' ? type.attributes.get(step.name) : undefined
    default:
      return undefined
  }
}
