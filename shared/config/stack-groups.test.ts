import { describe, expect, test } from 'vitest'
import { formatStackGroups, groupNameOf, groupsMax, parseStackGroups } from './stack-groups.ts'

const problemOf = (text: string): string => {
  const parsed = parseStackGroups(text)
  return 'problem' in parsed ? parsed.problem : ''
}

describe('groups of stacks', () => {
  test('are parsed with names and prefixes of projects, and printed as the same setting', () => {
    const parsed = parseStackGroups(' payments = pay-*, billing ; shop=web.shop')
    expect(parsed).toEqual([
      { name: 'payments', projects: ['pay-*', 'billing'] },
      { name: 'shop', projects: ['web.shop'] },
    ])
    if ('problem' in parsed) throw new Error(parsed.problem)
    const text = formatStackGroups(parsed)
    expect(text).toBe('payments=pay-*,billing;shop=web.shop')
    expect(parseStackGroups(text)).toEqual(parsed)
    expect(parseStackGroups('  ')).toEqual([])
  })

  test('a project is in the group that names it or its prefix, and otherwise in the default one', () => {
    const groups = parseStackGroups('payments=pay-*,billing;shop=shop')
    if ('problem' in groups) throw new Error(groups.problem)
    const projects = [
      'pay-',
      'pay-eu',
      'billing',
      'shop',
      'pay',
      'billing2',
      'xbilling',
      'Shop',
      '',
    ]
    expect(projects.map(project => groupNameOf(groups, project))).toEqual([
      ...['payments', 'payments', 'payments', 'shop'],
      ...['default', 'default', 'default', 'default', 'default'],
    ])
  })

  test.each([
    ['payments', "'payments' is not a group"],
    ['Payments=a', "'Payments' is not the name of a group"],
    ['pay_ments=a', "'pay_ments' is not the name of a group"],
    ['1a=a', "'1a' is not the name of a group"],
    ['a-group-of-13c=a', 'at most 12 lower-case letters'],
    ['default=a', 'the group of all other projects: choose another name'],
    ['a=', "'' in the group 'a' is not a project"],
    ['a=b,', "'' in the group 'a' is not a project"],
    ['a=*', "'*' in the group 'a' is not a project"],
    ['a=b*c', "'b*c' in the group 'a' is not a project"],
    ['a=b/c', "'b/c' in the group 'a' is not a project"],
    ['a=b;', "'' is not a group"],
    ['a=b;a=c', "the group 'a' is named twice"],
    ['a=b;c=b', "'b' of the group 'a' and 'b' of the group 'c'"],
    ['a=b*;c=bill', "'b*' of the group 'a' and 'bill' of the group 'c'"],
    ['a=bill;c=b*', "'bill' of the group 'a' and 'b*' of the group 'c'"],
    ['a=b*;c=bi*', "'b*' of the group 'a' and 'bi*' of the group 'c'"],
    ['a=b,b', "'b' of the group 'a' and 'b' of the group 'a'"],
    ['a=b;c=d;e=f;g=h;i=j', `at most ${groupsMax} groups`],
    [`a=${'x'.repeat(1_000)}`, 'at most 1000 characters'],
  ])('the setting %s is refused: %s', (text, problem) => {
    expect(problemOf(text)).toContain(problem)
  })
})
