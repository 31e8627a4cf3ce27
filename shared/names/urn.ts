/**
 * names: URNs, references to providers, versions, and rules by which resources are named. Imports
 * errors only.
 */
import { createError } from '../errors/error.ts'

/** `urn:pulumi:<stack>::<project>::<qualified type>::<name>`. The name may contain `::`. */
export type Urn = string & { readonly __brand: 'Urn' }

/** The type of the root resource of every stack. */
export const stackType = 'pulumi:pulumi:Stack'

/**
 * The parts of a URN. `qualifiedType`: the types of the resource's parents and of the resource,
 * joined by `$`.
 */
export interface UrnParts {
  readonly stack: string
  readonly project: string
  readonly qualifiedType: string
  readonly name: string
}

const urnPrefix = 'urn:pulumi:'

/** Reports whether `text` has the form of a URN: the prefix and three separators. */
export function isUrn(text: string): text is Urn {
  if (!text.startsWith(urnPrefix)) return false
  const first = text.indexOf('::')
  const second = first < 0 ? -1 : text.indexOf('::', first + 2)
  return second >= 0 && text.indexOf('::', second + 2) >= 0
}

/** Parses a URN. Throws RESOURCE_INVALID. */
export function parseUrn(text: string): Urn {
  if (!isUrn(text)) throw createError('RESOURCE_INVALID', `'${text}' is not a URN`)
  return text
}

/** Returns the parts of a URN, split at the first three separators. */
export function urnPartsOf(urn: Urn): UrnParts {
  const first = urn.indexOf('::')
  const second = urn.indexOf('::', first + 2)
  const third = urn.indexOf('::', second + 2)
  return {
    stack: urn.slice(urnPrefix.length, first),
    project: urn.slice(first + 2, second),
    qualifiedType: urn.slice(second + 2, third),
    name: urn.slice(third + 2),
  }
}

/** Joins the parts of a URN. */
export function urnOf(parts: UrnParts): Urn {
  return `${urnPrefix}${parts.stack}::${parts.project}::${parts.qualifiedType}::${parts.name}` as Urn
}

/**
 * Returns the URN of a resource from the qualified type of its parent. Without a parent, or below
 * the root resource, the qualified type of the resource is its plain type.
 */
export function childUrnOf(
  names: { readonly stack: string; readonly project: string },
  parentQualifiedType: string | undefined,
  resource: { readonly type: string; readonly name: string },
): Urn {
  const hasQualifiedParent =
    parentQualifiedType !== undefined &&
    parentQualifiedType !== '' &&
    parentQualifiedType !== stackType
  const qualifiedType = hasQualifiedParent
    ? `${parentQualifiedType}$${resource.type}`
    : resource.type
  return urnOf({ stack: names.stack, project: names.project, qualifiedType, name: resource.name })
}

/** Returns the type token of a URN: the part after the last `$` of its qualified type. */
export function typeOf(urn: Urn): string {
  const { qualifiedType } = urnPartsOf(urn)
  return qualifiedType.slice(qualifiedType.lastIndexOf('$') + 1)
}

/** Reports whether a URN is that of the root resource of a stack. */
export function isStackUrn(urn: string): boolean {
  return urnPartsOf(urn as Urn).qualifiedType === stackType
}

/** Returns the name part of a URN. */
export function nameOf(urn: Urn): string {
  return urnPartsOf(urn).name
}
