import { expect, test } from 'vitest'
import type { ConfigValue } from './open-config.ts'
import { autonamingKey, autonamingOf } from './autonaming.ts'

const createConfigValue = (text: string, isObject = false): ConfigValue => ({
  text,
  isSecret: false,
  isObject,
})
const read = (input: unknown) =>
  autonamingOf({
    organization: 'organization',
    project: 'shop',
    stack: 'dev',
    config: new Map([
      ['shop:zone', createConfigValue('eu')],
      [autonamingKey, createConfigValue(JSON.stringify(input), true)],
    ]),
  })

test('without a configuration there is no autonaming', () => {
  const sources = { organization: 'o', project: 'p', stack: 's', config: new Map() }
  expect(autonamingOf(sources)).toBeUndefined()
})

test('patterns get values of the stack, and packages inherit the general naming', () => {
  const pattern = '${organization}/${project}/${stack}/${config.zone}/${name}'
  const resolved = read({
    pattern,
    enforce: true,
    providers: { aws: { resources: { 'aws:s3:Bucket': { mode: 'verbatim' } } } },
  })
  const general = {
    kind: 'pattern',
    pattern: 'organization/shop/dev/eu/${name}',
    enforce: true,
  }
  const types = new Map([['aws:s3:Bucket', { kind: 'verbatim' }]])
  expect(resolved).toEqual({ general, packages: new Map([['aws', { general, types }]]) })
})

test.each([
  [{ mode: 'odd' }, /has the unknown mode 'odd'/],
  [{ mode: 'verbatim', pattern: 'x' }, /a mode together with pattern/],
  [{ enforce: true }, /has enforce without a pattern/],
  [{ pattern: 3 }, /pattern\) is not a string/],
  [{ patern: 'x' }, /unknown key 'patern'/],
  [{ pattern: '${config.none}' }, /configuration key 'none'/],
  [{ pattern: '${hex(100000)}' }, /100000 random characters/],
  [{ providers: 1 }, /providers\) is not a map/],
  [{ providers: { aws: { mode: 'odd' } } }, /providers\.aws\) has the unknown mode/],
  [{ providers: { aws: { resources: { 'a:b:C': {} } } } }, /needs a mode or a pattern/],
  [['verbatim'], /is not a map/],
])('%j is refused with its position', (input, message) => {
  const code = 'CONFIG_INVALID'
  expect(() => read(input)).toThrow(expect.objectContaining({ code }))
  expect(() => read(input)).toThrow(message)
})

test('a plain string instead of a map is refused', () => {
  const config = new Map([[autonamingKey, createConfigValue('verbatim')]])
  const sources = { organization: 'o', project: 'p', stack: 's', config }
  expect(() => autonamingOf(sources)).toThrow(/is not a map/)
})
