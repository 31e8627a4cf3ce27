import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { formFaultOf } from './form-fault.ts'

const form = z.strictObject({
  on: z.enum(['push', 'tag', 'pull-request']),
  rules: z.array(z.object({ folder: z.string().regex(/^\w+$/, 'must be a folder') })).max(1),
  url: z.url().optional(),
  days: z.number().int().min(1).optional(),
  count: z.int().positive().optional(),
  who: z.union([z.literal('*'), z.array(z.string())]).optional(),
  act: z.discriminatedUnion('do', [
    z.object({ do: z.literal('up') }),
    z.object({ do: z.literal('down') }),
  ]),
})

const whole = { on: 'push', rules: [{ folder: 'a' }], act: { do: 'up' } }

function describeFault(value: unknown): string {
  const parsed = form.safeParse(value)
  if (parsed.success) return 'none'
  const { location, requirement } = formFaultOf(parsed.error, value)
  return `${location}: ${requirement}`
}

describe('a validation error', () => {
  it('names the place and the requirement', () => {
    expect(describeFault(whole)).toBe('none')
    expect(describeFault({ ...whole, on: 'secret' })).toBe('on: must be push, tag or pull-request')
    expect(describeFault({ ...whole, rules: [{ folder: 1 }] })).toBe(
      'rules.0.folder: must be a text',
    )
    expect(describeFault({ ...whole, rules: [{ folder: '/' }] })).toBe(
      'rules.0.folder: must be a folder',
    )
    expect(describeFault({ ...whole, rules: [{ folder: 'a' }, { folder: 'b' }] })).toBe(
      'rules: must have at most 1 item',
    )
    expect(describeFault({ ...whole, days: 0 })).toBe('days: must be at least 1')
    expect(describeFault({ ...whole, days: 1.5 })).toBe('days: must be a whole number')
    expect(describeFault({ ...whole, url: 'nowhere' })).toBe('url: must be an http or https URL')
    expect(describeFault({ ...whole, who: 1 })).toBe('who: must be *, or must be a list')
    expect(describeFault({ ...whole, who: [1] })).toBe('who: must have the expected format')
    expect(describeFault({ ...whole, count: 0 })).toBe('count: must be more than 0')
    expect(describeFault('text')).toBe(': must be an object')
  })

  it('names missing and unknown fields', () => {
    expect(describeFault({ ...whole, on: undefined })).toBe(
      'on: is missing; it must be push, tag or pull-request',
    )
    expect(describeFault({ ...whole, rules: [{}] })).toBe(
      'rules.0.folder: is missing; it must be a text',
    )
    expect(describeFault({ ...whole, onn: 'push' })).toBe(": must not have the field 'onn'")
  })

  it('of a choice names the field that selects the alternative', () => {
    expect(describeFault({ ...whole, act: { do: 'sideways' } })).toMatch(
      /^act\.do: must be up or down$/,
    )
  })

  it('does not contain the value', () => {
    expect(describeFault({ ...whole, on: 'hunter2', rules: 'hunter2' })).not.toContain('hunter2')
  })
})
