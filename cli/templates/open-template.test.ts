import { expect, test } from 'vitest'
import { parseTemplateRepository } from './open-template.ts'

test.each([
  ['typescript', undefined],
  ['./folder', undefined],
  ['https://h/acme/t', { url: 'https://h/acme/t', branch: '', folder: '' }],
  ['https://h/acme/t.git/a/b', { url: 'https://h/acme/t.git', branch: '', folder: 'a/b' }],
  ['https://h/acme/t/tree/v1/a/b', { url: 'https://h/acme/t', branch: 'v1', folder: 'a/b' }],
  ['git@h:acme/t.git', { url: 'git@h:acme/t.git', branch: '', folder: '' }],
])('parseTemplateRepository reads %s', (operand, repository) => {
  expect(parseTemplateRepository(operand)).toEqual(repository)
})

test('parseTemplateRepository refuses a folder outside of the repository', () => {
  expect(() => parseTemplateRepository('https://h/acme/t/../x')).toThrow('invalid address')
})
