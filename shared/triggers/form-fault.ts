import type { z } from 'zod'
import { toPrintable } from './printable.ts'

/** Where a value from outside is not of its form, and what is to be there. */
export interface FormFault {
  /** Names of fields and numbers of items with dots between; '' for the whole. */
  readonly at: string
  /** A sentence without its subject: `must be push or tag`. */
  readonly must: string
}

/**
 * The first fault that a form found in a value, in words of ours; of the value only names of fields
 * are told, for the rest may be secret.
 */
export function formFaultOf({ issues }: z.ZodError, value: unknown): FormFault {
  const [issue] = issues
  if (issue === undefined) return { at: '', must: 'must be of another form' }
  const isMissing =
    issue.code !== 'unrecognized_keys' && readValueAt(value, issue.path) === undefined
  const must = requirementOf(issue)
  return {
    at: toPrintable(issue.path.join('.')),
    must: toPrintable(isMissing ? `is missing; it ${must}` : must),
  }
}

function readValueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((found, key) => Object(found)[key], value)
}

function requirementOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds.get(issue.expected) ?? issue.expected}`
    case 'invalid_value':
      return `must be ${formatAlternatives(issue.values)}`
    case 'invalid_union':
      return unionRequirementOf(issue)
    case 'too_small':
      return issue.inclusive === false
        ? `must be more than ${issue.minimum}`
        : `must ${boundOf(issue.origin, 'least', issue.minimum)}`
    case 'too_big':
      return issue.inclusive === false
        ? `must be less than ${issue.maximum}`
        : `must ${boundOf(issue.origin, 'most', issue.maximum)}`
    case 'unrecognized_keys':
      return `has no field ${issue.keys.map(key => `'${key}'`).join(', ')}`
    case 'invalid_format':
      return issue.format === 'url'
        ? 'must be the URL of an address of http or https'
        : issue.message
    case 'invalid_key':
    case 'invalid_element':
      return 'must be of another form'
    default:
      return issue.message
  }
}

/** What values are called to those who write JSON, by their names in a form. */
const kinds: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
])

function unionRequirementOf(issue: z.core.$ZodIssueInvalidUnion): string {
  if ('options' in issue && Array.isArray(issue.options))
    return `must be ${formatAlternatives(issue.options)}`
  // What is wrong inside one of the ways is no word about the value itself.
  const ways = issue.errors.flatMap(([first]) =>
    first === undefined || first.path.length > 0 ? [] : [requirementOf(first)],
  )
  return ways.length < issue.errors.length || ways.length === 0
    ? 'must be of another form'
    : [...new Set(ways)].join(', or ')
}

function boundOf(origin: string, bound: 'least' | 'most', limit: number | bigint): string {
  const formatCount = (one: string): string =>
    `have at ${bound} ${limit} ${one}${Number(limit) === 1 ? '' : 's'}`
  if (origin === 'string') return formatCount('character')
  return origin === 'array' || origin === 'set' ? formatCount('item') : `be at ${bound} ${limit}`
}

/** `push, tag or pull-request`. */
function formatAlternatives(values: readonly unknown[]): string {
  const texts = values.map(String)
  const last = texts.pop() ?? ''
  return texts.length === 0 ? last : `${texts.join(', ')} or ${last}`
}
