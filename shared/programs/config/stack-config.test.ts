import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toConfigTree } from './config-tree.ts'
import { coerceText, parseConfigPath, withoutTreeAt, withTreeAt } from './config-path.ts'
import { parseProject } from '../project/project-file.ts'
import { openStackConfig, readStackConfig, writeStackConfig } from './stack-config.ts'
import { stackConfigFileOf } from './stack-config-file.ts'

const file = 'Pulumi.dev.yaml'

describe('stack file', () => {
  test('edits keep the comments, order and spelling of other parts', () => {
    const config = openStackConfig(
      `# about this stack
encryptionsalt: v1:a:b # salt
config:
  # the place
  aws:region: eu-west-1 # near
  short: old
`,
      file,
      'p',
    )
    config.set('aws:region', 'us-east-1')
    config.set('p:short', '42')
    config.set('p:token', { kind: 'secure', ciphertext: 'v1:c' })
    expect(config.format()).toBe(`# about this stack
encryptionsalt: v1:a:b # salt
config:
  # the place
  aws:region: us-east-1 # near
  short: "42"
  p:token:
    secure: v1:c
`)
    expect(config.getSecretsSettings()).toEqual({
      provider: '',
      encryptedKey: '',
      encryptionSalt: 'v1:a:b',
    })
    expect(config.remove('p:token')).toBe(true)
    expect(config.remove('p:token')).toBe(false)
    expect([...config.getValues().keys()]).toEqual(['aws:region', 'p:short'])
  })

  test.each(['123', 'true', '~', '*name'])(
    'a key that YAML does not read as a text can be set and removed: %s',
    key => {
      const text = `name: &name 123\nconfig:\n  ${key} : old # near\n  p:b: c\n`
      const config = openStackConfig(text, file, 'p')
      const [name = ''] = config.getValues().keys()
      config.set(name, 'new')
      expect(config.format()).toContain(' new # near\n')
      const edited = openStackConfig(config.format(), file, 'p')
      expect([...edited.getValues()]).toEqual([
        [name, 'new'],
        ['p:b', 'c'],
      ])
      expect(edited.remove(name)).toBe(true)
      expect(edited.format()).toBe('name: &name 123\nconfig:\n  p:b: c\n')
    },
  )

  test('an edit of a JSON file keeps the digits of large integers', () => {
    const text = '{"config":{"p:id":12345678901234567890,"p:short":"old"}}'
    const config = openStackConfig(text, 'Pulumi.dev.json', 'p')
    config.set('p:short', 'new')
    expect(config.format()).toContain('"p:id": 12345678901234567890,')
  })

  test('the secrets provider and the encrypted key come first, as Pulumi writes them', () => {
    const config = openStackConfig('config:\n  p:a: b\n', file, 'p')
    config.setKey('awskms://alias/a?region=us-east-1', 'c2VhbGVk')
    expect(config.format()).toBe(
      'secretsprovider: awskms://alias/a?region=us-east-1\nencryptedkey: c2VhbGVk\nconfig:\n  p:a: b\n',
    )
    expect(openStackConfig(config.format(), file, 'p').getSecretsSettings()).toEqual({
      provider: 'awskms://alias/a?region=us-east-1',
      encryptedKey: 'c2VhbGVk',
      encryptionSalt: '',
    })
  })

  test('a new data key replaces a salt, and a new salt replaces a data key', () => {
    const config = openStackConfig('# mine\nencryptionsalt: v1:s\nconfig:\n  p:a: b\n', file, 'p')
    config.setKey('awskms://alias/a', 'c2VhbGVk')
    expect(config.getSecretsSettings().encryptionSalt).toBe('')
    config.setSalt('v1:t')
    expect(config.format()).toContain('encryptionsalt: v1:t\n')
    expect(config.getSecretsSettings()).toEqual({
      provider: '',
      encryptedKey: '',
      encryptionSalt: 'v1:t',
    })
  })

  test('an empty file gets the salt first, then values that read back unchanged', () => {
    const config = openStackConfig('', file, 'p')
    config.set('p:a', 'true')
    config.setSalt('v1:s')
    config.set('p:lines', 'one\ntwo\n')
    config.set('p:o', new Map([['list', [1, 'x']]]))
    const formatted = config.format()
    expect(formatted).toMatch(/^encryptionsalt: v1:s\nconfig:\n {2}p:a: "true"\n/)
    expect(openStackConfig(formatted, file, 'p').getValues()).toEqual(config.getValues())
  })

  test.each([
    ['Pulumi.dev.yaml', 'config:\n  s:n: {~: 1, big: 2}\n'],
    ['Pulumi.dev.yaml', 'config:\n  s:n: {&a : 1, big: 2}\n'],
    ['Pulumi.dev.json', '{"config":{"s:n":{&a : 1,"big":2}}}'],
  ])('a null key in %s is <nil>, as in Pulumi: %j', (file, text) => {
    const config = openStackConfig(text, file, 's')
    const expected = toConfigTree({ '<nil>': 1, big: 2 })
    expect(config.getValues().get('s:n')).toEqual(expected)
    config.set('s:z', '1')
    expect(openStackConfig(config.format(), file, 's').getValues().get('s:n')).toEqual(expected)
  })

  test('a key that is a list is refused with its position, as Pulumi refuses it', () => {
    expect(() => openStackConfig('config:\n  s:n: {[1]: 1}\n', 'Pulumi.dev.yaml', 's')).toThrow(
      'Pulumi.dev.yaml:2:9: a key must be a text',
    )
  })

  test('removing the last value removes the map', () => {
    const config = openStackConfig('config:\n  p:a: b\n', file, 'p')
    config.remove('p:a')
    expect(config.format()).toBe('{}\n')
  })

  test('invalid files are refused with their position, and a field of a wrong type with its name', () => {
    expect(() => openStackConfig('config: [a]\n', file, 'p')).toThrow(/dev\.yaml:1:9/)
    expect(() => openStackConfig('config:\n  a:b:c: 1\n', file, 'p')).toThrow(/dev\.yaml:2:/)
    expect(() => openStackConfig('encryptionsalt: 3\n', file, 'p')).toThrow(/encryptionsalt/)
  })

  test('is written to `stackConfigDir` with the extension of the project file, and leaves no other file', () => {
    const root = mkdtempSync(join(tmpdir(), 'stack-'))
    const project = parseProject('name: p\nstackConfigDir: stacks\n', join(root, 'Pulumi.yml'))
    const path = stackConfigFileOf(project, 'dev')
    const config = readStackConfig(path, 'p')
    config.set('p:a', 'b')
    writeStackConfig(config)
    expect(readdirSync(join(root, 'stacks'))).toEqual(['Pulumi.dev.yml'])
    expect(readFileSync(path, 'utf8')).toBe('config:\n  p:a: b\n')
  })
})

describe('paths of configuration values', () => {
  test('consist of names, quoted names and numbers', () => {
    expect(parseConfigPath('a.b["c.d \\"e"][0].f')).toEqual(['a', 'b', 'c.d "e', 0, 'f'])
    expect(parseConfigPath('["a.b"].c')).toEqual(['a.b', 'c'])
    for (const wrong of ['', '.a', '[0]', 'a[x]', 'a.', 'a.[0]'])
      expect(() => parseConfigPath(wrong), wrong).toThrow(/path/)
  })

  test('setting creates containers, replaces a scalar of the first level, appends one item', () => {
    expect(withTreeAt(undefined, ['k', 'list', 0], 'x')).toEqual(new Map([['list', ['x']]]))
    expect(withTreeAt('scalar', ['k', 0], true)).toEqual([true])
    expect(withTreeAt(['a'], ['k', 1], 'b')).toEqual(['a', 'b'])
    expect(() => withTreeAt(['a'], ['k', 2], 'b')).toThrow(/1 items/)
    expect(() => withTreeAt(new Map([['a', 'text']]), ['k', 'a', 'b'], 1)).toThrow(/expected/)
    expect(() => withTreeAt(undefined, ['k', 'secure'], 'text')).toThrow(/secure/)
  })

  test('deleting removes keys and shifts lists', () => {
    expect(withoutTreeAt(['a', 'b'], ['k', 0])).toEqual(['b'])
    expect(withoutTreeAt(new Map([['a', 1]]), ['k', 'a'])).toEqual(new Map())
    expect(withoutTreeAt(new Map([['a', 1]]), ['k', 'z'])).toEqual(new Map([['a', 1]]))
  })

  test('texts that read as booleans or integers are converted', () => {
    expect(['true', 'false', '7', '0', '007', '1.5', 'x', '-3'].map(coerceText)).toEqual([
      true,
      false,
      7,
      0,
      '007',
      '1.5',
      'x',
      -3,
    ])
  })
})

test('a stack file with invalid bytes is refused, because a write would replace them', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'antichain-config-')), 'Pulumi.dev.yaml')
  writeFileSync(path, Buffer.from([...Buffer.from('config:\n  p:a: '), 0xff, 0x0a]))
  expect(() => readStackConfig(path, 'p')).toThrow('is not valid UTF-8')
})

// A rename over the link would replace it by a file, and the program would read the old target.
test.each([true, false])(
  'a write follows links to the file, existing (%s) or not, and keeps its mode',
  exists => {
    const root = mkdtempSync(join(tmpdir(), 'antichain-config-'))
    mkdirSync(join(root, 'other'))
    const target = join(root, 'other', 'real.yaml')
    const links = [join(root, 'other', 'Pulumi.dev.yaml'), join(root, 'Pulumi.dev.yaml')] as const
    symlinkSync('real.yaml', links[0])
    symlinkSync('other/Pulumi.dev.yaml', links[1])
    if (exists) writeFileSync(target, '')
    // The process's umask removes the permission of the group to write.
    if (exists) chmodSync(target, 0o660)
    const config = readStackConfig(links[1], 'p')
    config.set('p:a', 'b')
    writeStackConfig(config)
    expect(links.map(link => lstatSync(link).isSymbolicLink())).toEqual([true, true])
    expect(readFileSync(target, 'utf8')).toBe('config:\n  p:a: b\n')
    if (exists) expect(statSync(target).mode & 0o777).toBe(0o660)
    expect(readdirSync(join(root, 'other'))).toEqual(['Pulumi.dev.yaml', 'real.yaml'])
  },
)

// A comparison of each key with all others would take half a minute.
test('a stack file with 30,000 values opens in seconds, and a repeated key is refused with its place', () => {
  const lines = Array.from({ length: 30_000 }, (_, index) => `  shop:a${index}: b\n`)
  const start = performance.now()
  const config = openStackConfig(`config:\n${lines.join('')}`, 'Pulumi.dev.yaml', 'shop')
  expect(config.getValues().size).toBe(30_000)
  expect(performance.now() - start).toBeLessThan(15_000)
  for (const [text, place] of [
    ['config:\n  shop:a: b\n  shop:c: d\n  shop:a: e\n', '4:3'],
    ['config: {shop:a: {b: 1, c: {d: 1, d: 2}}}\n', '1:35'],
  ] as const)
    expect(() => openStackConfig(text, 'Pulumi.dev.yaml', 'shop')).toThrow(
      `Pulumi.dev.yaml:${place}: Map keys must be unique`,
    )
}, 60_000)
