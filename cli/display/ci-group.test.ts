import { expect, test } from 'vitest'
import { findCiService, formatGroupBegin, formatGroupEnd } from './ci-group.ts'

test('the CI service is found by the variables of its jobs', () => {
  expect(findCiService({ GITHUB_ACTIONS: 'true' })).toBe('github')
  expect(findCiService({ GITLAB_CI: 'true' })).toBe('gitlab')
  expect(findCiService({ CI: 'true', GITLAB_CI: '' })).toBeUndefined()
})

test('a group of GitHub has a title on one line', () => {
  const group = { service: 'github', title: 'Updating\nstack dev', unixSeconds: 1 } as const
  expect(formatGroupBegin(group)).toBe('::group::Updating stack dev')
  expect(formatGroupEnd(group)).toBe('::endgroup::')
})

test('a section of GitLab has the same name at its begin and its end', () => {
  const group = { service: 'gitlab', title: 'Updating stack a+b', unixSeconds: 7 } as const
  expect(formatGroupBegin(group)).toBe(
    '\u001b[0Ksection_start:7:updating_stack_a_b\r\u001b[0KUpdating stack a+b',
  )
  expect(formatGroupEnd({ ...group, unixSeconds: 9 })).toBe(
    '\u001b[0Ksection_end:9:updating_stack_a_b\r\u001b[0K',
  )
})
