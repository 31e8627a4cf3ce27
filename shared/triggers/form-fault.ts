import type * as z from 'zod'
import { toPrintable } from './printable.ts'

/** The location at which an external value is invalid, and the violated requirement. */
export interface FormFault {
  /** Field names and item numbers, separated by dots; '' for the whole value. */
  readonly location: string
  /** A sentence without its subject, such as `must be push or tag`. */
  readonly requirement: string
}

/**
 * Returns the location and the requirement of the first validation error of a value. Both contain
 * only field names of the value, because other parts may be secret.
 */
export function formFaultOf({ issues }: z.ZodError, value: unknown): FormFault {
  const [issue] = issues
  if (issue === undefined) return { location: '', requirement: 'must have the expected format' }
  const isMissing =
    issue.code !== 'unrecognized_keys' && readValueAt(value, issue.path) === undefined
  const requirement = requirementOf(issue)
  return {
    location: toPrintable(issue.path.join('.')),
    requirement: toPrintable(isMissing ? `is missing; it ${requirement}` : requirement),
  }
}

function readValueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((parent, key) => Object(parent)[key], value)
}

function requirementOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kindNames.get(issue.expected) ?? issue.expected}`
    case 'invalid_value':
      return `must be ${formatAlternatives(issue.values)}`
    case 'invalid_union':
      return unionRequirementOf(issue)
    case 'too_small':
      return issue.inclusive === false
        ? `must be more than ${issue.minimum}`
        : `must ${formatBound(issue.origin, 'least', issue.minimum)}`
    case 'too_big':
      return issue.inclusive === false
        ? `must be less than ${issue.maximum}`
        : `must ${formatBound(issue.origin, 'most', issue.maximum)}`
    case 'unrecognized_keys':
      return `must not have the field ${formatAlternatives(issue.keys.map(key => `'${key}'`))}`
    case 'invalid_format':
      return issue.format === 'url' ? 'must be an http or https URL' : issue.message
    case 'invalid_key':
    case 'invalid_element':
      return 'must have the expected format'
    default:
      return issue.message
  }
}

/** The names of value kinds for authors of JSON. */
const kindNames: ReadonlyMap<string, string> = new Map([
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
  // An error inside one alternative does not describe the value itself.
  const requirements = issue.errors.flatMap(([first]) =>
    first === undefined || first.path.length > 0 ? [] : [requirementOf(first)],
  )
  return requirements.length < issue.errors.length || requirements.length === 0
    ? 'must have the expected format'
    : [...new Set(requirements)].join(', or ')
}

function formatBound(origin: string, bound: 'least' | 'most', limit: number | bigint): string {
  const formatLength = (noun: string): string =>
    `have at ${bound} ${limit} ${noun}${Number(limit) === 1 ? '' : 's'}`
  if (origin === 'string') return formatLength('character')
  return origin === 'array' || origin === 'set' ? formatLength('item') : `be at ${bound} ${limit}`
}

/** Formats alternatives as in `push, tag or pull-request`. */
function formatAlternatives(values: readonly unknown[]): string {
  const texts = values.map(String)
  const last = texts.pop() ?? ''
  return texts.length === 0 ? last : `${texts.join(', ')} or ${last}`
}
