import { isAbsolute } from 'node:path'
import { expect, test } from 'vitest'
import { readEnvironment } from './environment.ts'

test('an empty environment gives the defaults', () => {
  const read = readEnvironment({})
  expect(read.home.endsWith('/.antichain')).toBe(true)
  expect(read.pulumiHome.endsWith('/.pulumi')).toBe(true)
  expect(read).toMatchObject({ ignoreAmbientPlugins: false, noColor: false, path: [] })
  expect('passphrase' in read || 'stack' in read || 'passphraseFile' in read).toBe(false)
})

test('an empty passphrase is a passphrase', () => {
  expect(readEnvironment({ PULUMI_CONFIG_PASSPHRASE: '' }).passphrase).toBe('')
})

test('a relative home is taken from the working folder', () => {
  expect(isAbsolute(readEnvironment({ ANTICHAIN_HOME: 'state' }).home)).toBe(true)
})

test.each([
  ['1', true],
  ['True', true],
  ['yes', false],
  ['0', false],
])('the flag %j means %s', (text, expected) => {
  expect(readEnvironment({ PULUMI_IGNORE_AMBIENT_PLUGINS: text }).ignoreAmbientPlugins).toBe(
    expected,
  )
})

test('NO_COLOR counts even when it is empty', () => {
  expect(readEnvironment({ NO_COLOR: '' }).noColor).toBe(true)
})
