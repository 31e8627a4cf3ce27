/** The names and values of Terraform states in Pulumi's states. */
import { isObject } from './lossless-values.mjs'

const capitalize = text => text[0].toUpperCase() + text.slice(1)

/** Returns the type token of a resource type: `tfgold_thing` is `tfgold:index/thing:Thing`. */
export function tokenOf(resourceType) {
  const [provider, ...parts] = resourceType.split('_')
  const name = parts.map(capitalize).join('')
  return `${provider}:index/${name[0].toLowerCase()}${name.slice(1)}:${name}`
}

/** Returns the address of a resource: `tfgold_thing.a`. */
export function addressOfResource({ type, urn }) {
  const [provider, , name] = type.split(':')
  return `${provider}_${name.toLowerCase()}.${urn.split('::').at(-1)}`
}

const toCamelCase = name =>
  name.replace(/(?<=[^_])_([a-z0-9])/g, (_match, letter) => letter.toUpperCase())

/** Returns the plural of a name. These are the rules that the names of the provider need. */
function toPlural(name) {
  if (/(x|ch|ss|sh)$/.test(name)) return `${name}es`
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`
  return name.endsWith('s') ? name : `${name}s`
}

const isListType = type => Array.isArray(type) && (type[0] === 'list' || type[0] === 'set')
const isListNesting = nesting => nesting === 'list' || nesting === 'set'

/** Lists the attributes and blocks of a block or of a nested type, with their names in Pulumi. */
function membersOf({ attributes = {}, block_types: blocks = {} }) {
  const name = (key, isPlural) => toCamelCase(isPlural ? toPlural(key) : key)
  return [
    ...Object.entries(attributes).map(([key, schema]) => {
      const { nested_type: nested, type } = schema
      const isPlural = nested ? isListNesting(nested.nesting_mode) : isListType(type)
      return { key, name: name(key, isPlural), kind: 'attribute', schema }
    }),
    ...Object.entries(blocks).map(([key, schema]) => {
      const isPlural = isListNesting(schema.nesting_mode) && schema.max_items !== 1
      return { key, name: name(key, isPlural), kind: 'block', schema }
    }),
  ]
}

/** Reports whether a value is a dynamic one, which has its type next to it. */
const isTyped = value =>
  isObject(value) && 'type' in value && 'value' in value && Object.keys(value).length === 2
const untype = value => (isTyped(value) ? value.value : value)

function convertByType(value, type) {
  if (value === null || value === undefined) return undefined
  if (type === 'dynamic') return untype(value)
  if (!Array.isArray(type)) return value
  const [kind, inner] = type
  switch (kind) {
    case 'list':
    case 'set':
      return value.map(item => convertByType(item, inner) ?? null)
    case 'tuple':
      return value.map((item, index) => convertByType(item, inner[index]) ?? null)
    case 'map':
      return mapMembers(value, member => convertByType(member, inner))
    default: {
      const entries = Object.entries(inner).map(([key, member]) => [
        toCamelCase(isListType(member) ? toPlural(key) : key),
        convertByType(value[key], member),
      ])
      return Object.fromEntries(entries)
    }
  }
}

const mapMembers = (object, convert) =>
  Object.fromEntries(Object.entries(object).map(([key, member]) => [key, convert(member)]))

function convertNested(value, nesting, convert) {
  if (value === null || value === undefined) return undefined
  if (nesting === 'map') return mapMembers(value, convert)
  return Array.isArray(value) ? value.map(convert) : convert(value)
}

/**
 * Converts the attributes of a state to the outputs that Pulumi's state must have. A part that may
 * be absent or empty is undefined. `resourceType` is set at the top level.
 */
export function toPulumiOutputs(attributes, block, resourceType) {
  const outputs = {}
  for (const { key, name, kind, schema } of membersOf(block)) {
    const value = attributes[key]
    if (resourceType !== undefined && key === 'id') {
      // An `id` that is an input has another name. A computed one is the id of the resource.
      const renamed = toCamelCase(`${resourceType.replace(/^[^_]*_/, '')}_id`)
      if (schema.required || schema.optional) outputs[renamed] = value
    } else
      outputs[name] = kind === 'attribute' ? attributeFrom(value, schema) : blockFrom(value, schema)
  }
  return outputs
}

function attributeFrom(value, { nested_type: nested, type }) {
  if (nested === undefined) return convertByType(value, type)
  return convertNested(value, nested.nesting_mode, item => toPulumiOutputs(item, nested))
}

function blockFrom(value, { nesting_mode: nesting, max_items: maxItems, block }) {
  const converted = convertNested(untype(value), nesting, item => toPulumiOutputs(item, block))
  if (isListNesting(nesting) && maxItems === 1) return (converted ?? [])[0]
  const isEmpty = isObject(converted) && Object.keys(converted).length === 0
  return isEmpty ? undefined : converted
}

/** Lists the paths of the outputs that are sensitive by the schema. */
export function secretPathsOf(attributes, block, path = []) {
  if (!attributes) return []
  return membersOf(block).flatMap(({ key, name, kind, schema }) => {
    const value = untype(attributes[key])
    if (value === null || value === undefined) return []
    const memberPath = [...path, name]
    const ownPaths = kind === 'attribute' && schema.sensitive ? [memberPath] : []
    const inner = kind === 'block' ? schema.block : schema.nested_type
    if (!inner) return ownPaths
    const nesting = kind === 'block' ? schema.nesting_mode : inner.nesting_mode
    if (nesting === 'single' || nesting === 'group')
      return [...ownPaths, ...secretPathsOf(value, inner, memberPath)]
    const isSingle = kind === 'block' && schema.max_items === 1
    const inElements = Object.entries(value).flatMap(([index, element]) =>
      secretPathsOf(element, inner, isSingle ? memberPath : [...memberPath, index]),
    )
    return [...ownPaths, ...inElements]
  })
}

/**
 * Converts the sensitive paths of a state, which include those of marked values. Only paths inside
 * of plain attributes are converted.
 */
export function markedPathsOf(paths, attributes, block) {
  return (paths ?? []).flatMap(path => {
    const [key, ...rest] = path.split('.')
    const member = membersOf(block).find(
      ({ key: other, kind, schema }) =>
        other === key && kind === 'attribute' && !schema.nested_type,
    )
    const value = rest.reduce((part, step) => part?.[step], attributes[key])
    return member === undefined || value === null || value === undefined
      ? []
      : [[member.name, ...rest]]
  })
}
