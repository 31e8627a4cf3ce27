import { describe, expect, test } from 'vitest'
import { createError } from '../../errors/error.ts'
import { openConfig, withProjectDefaults } from './open-config.ts'
import { parseProject } from '../project/project-file.ts'
import { openStackConfig } from './stack-config.ts'

function openTestConfig(
  project: string,
  stack: string,
  decrypt = (text: string): string => `open ${text}`,
): unknown {
  return Object.fromEntries(
    openConfig({
      project: parseProject(`name: p\n${project}`, 'Pulumi.yaml'),
      stack: 'dev',
      values: openStackConfig(stack, 'Pulumi.dev.yaml', 'p').getValues(),
      isStrict: true,
      decrypt,
    }),
  )
}

describe('configuration of a deployment', () => {
  test('scalars become texts, objects become JSON with sorted keys, secrets are decrypted', () => {
    const stack = `config:
  p:text: a
  flag: true
  p:number: 42
  p:big: 12345678901234567890
  p:none:
  aws:region: {secure: v1:x}
  p:object:
    z: [1, true, null]
    a: {secure: v1:y}
    html: <b>
`
    expect(openTestConfig('', stack)).toEqual({
      'p:text': { text: 'a', isSecret: false, isObject: false },
      'p:flag': { text: 'true', isSecret: false, isObject: false },
      'p:number': { text: '42', isSecret: false, isObject: false },
      'p:big': { text: '12345678901234567890', isSecret: false, isObject: false },
      'p:none': { text: '', isSecret: false, isObject: false },
      'aws:region': { text: 'open v1:x', isSecret: true, isObject: false },
      'p:object': {
        text: '{"a":"open v1:y","html":"\\u003cb\\u003e","z":[1,true,null]}',
        isSecret: true,
        isObject: true,
        secretTexts: ['open v1:y'],
      },
    })
  })

  test('project defaults and fixed values complete the values of the stack', () => {
    const project = `config:
  size: small
  count: {type: integer, default: 3}
  list: [a]
  aws:region: eu-west-1
  deep.er: {default: x}
`
    expect(openTestConfig(project, 'config: {p:count: "7"}\n')).toEqual({
      'p:size': { text: 'small', isSecret: false, isObject: false },
      'p:count': { text: '7', isSecret: false, isObject: false },
      'p:list': { text: '["a"]', isSecret: false, isObject: true },
      'aws:region': { text: 'eu-west-1', isSecret: false, isObject: false },
      'p:deep': { text: '{"er":"x"}', isSecret: false, isObject: true },
    })
  })

  test('one error names all keys that have neither a value nor a default', () => {
    const project = 'config: {b: {type: string}, a: {}}\n'
    expect(() => openTestConfig(project, '')).toThrow(/'a', 'b'/)
    expect(
      withProjectDefaults(parseProject(`name: p\n${project}`, 'f'), new Map()).missingKeys,
    ).toEqual(['a', 'b'])
  })

  test('values are checked against their types', () => {
    const openWithType = (type: string, value: string): unknown =>
      openTestConfig(`config: {k: {type: ${type}}}\n`, `config: {p:k: ${value}}\n`)
    expect(() => openWithType('integer', 'x')).toThrow(/type integer/)
    expect(() => openWithType('boolean', '"yes"')).toThrow(/type boolean/)
    expect(() => openWithType('array, items: {type: string}', '[1]')).toThrow(/array<string>/)
    expect(() => openWithType('object', '[]')).toThrow(/type object/)
    expect(() => openWithType('string, secret: true', 'open')).toThrow(/must be encrypted/)
    expect(openWithType('array, items: {type: integer}', '[1, "2"]')).toBeTruthy()
  })

  test.each(['', 'config: {k: {type: string}}\n', 'config: {k.part: {type: string}}\n'])(
    'a secret that cannot be decrypted is named, under the definitions %j',
    project => {
      const stack = 'config: {p:k: {part: {secure: v1:x}}}\n'
      const refuse = (): never => {
        throw createError('SECRETS_MALFORMED', 'the ciphertext is broken')
      }
      expect(() => openTestConfig(project, stack, refuse)).toThrow(
        expect.objectContaining({
          code: 'SECRETS_MALFORMED',
          message: "cannot decrypt the configuration value 'p:k': the ciphertext is broken",
          hint: 'Set the value again with `antichain config set --secret p:k`.',
        }) as Error,
      )
    },
  )

  test('invalid definitions in the project file are refused', () => {
    const openProjectConfig = (config: string): unknown =>
      openTestConfig(`config: {${config}}\n`, '')
    expect(() => openProjectConfig('k: {type: date}')).toThrow(/Pulumi\.yaml:2:/)
    expect(() => openProjectConfig('k: {type: array}')).toThrow(/items/)
    expect(() => openProjectConfig('k: {type: integer, default: x}')).toThrow(/type integer/)
    expect(() => openProjectConfig('k: {default: 1, value: 2}')).toThrow(/both/)
    expect(() => openProjectConfig('aws:k: {type: string}')).toThrow(/another namespace/)
  })
})
