import { providerUrnOf } from '../names/provider-reference.ts'
import type { Json, StoredResource } from './stored.ts'

/**
 * Returns the URNs that a state refers to: parent, provider, `deletedWith`, `replaceWith`,
 * dependencies and property dependencies.
 */
export function referencedUrnsOf(state: StoredResource): readonly string[] {
  const provider = providerUrnOf(textOf(state['provider']))
  const properties = state['propertyDependencies']
  return [
    textOf(state['parent']),
    provider ?? '',
    textOf(state['deletedWith']),
    ...textsOf(state['dependencies']),
    ...textsOf(state['replaceWith']),
    ...(isObject(properties) ? Object.values(properties).flatMap(textsOf) : []),
  ].filter(urn => urn !== '')
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(textOf) : []
}

function isObject(value: Json | undefined): value is { readonly [field: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
