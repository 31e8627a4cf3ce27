import { describe, expect, test } from 'vitest'
import { createProviderEnvironment, hasLogLevel, isTlsDisabled } from './provider-environment.ts'
import { findReattachedProvider } from './reattach.ts'

const addr = { Network: 'unix', String: '/tmp/p' }
const find = (entries: Readonly<Record<string, unknown>>, source: string) =>
  findReattachedProvider({ TF_REATTACH_PROVIDERS: JSON.stringify(entries) }, source)

describe('TF_REATTACH_PROVIDERS', () => {
  const entry = { Protocol: 'grpc', ProtocolVersion: 6, Pid: 1, Test: true, Addr: addr }

  test.each([
    ['random', 'registry.opentofu.org/hashicorp/random'],
    ['hashicorp/random', 'random'],
    ['registry.terraform.io/hashicorp/random', 'hashicorp/random'],
    ['registry.terraform.io/hashicorp/random', 'registry.opentofu.org/hashicorp/random'],
    ['example.com/a/B', 'example.com/A/b'],
  ])('%s names the provider %s', (key, source) => {
    expect(find({ [key]: entry }, source)).toEqual({
      protocol: 6,
      target: 'unix:/tmp/p',
      socketPath: undefined,
      isTest: true,
    })
  })

  test.each([
    ['other/random', 'random'],
    ['example.com/hashicorp/random', 'hashicorp/random'],
  ])('%s does not name the provider %s', (key, source) => {
    expect(find({ [key]: entry }, source)).toBeUndefined()
  })

  test('that is not set names no provider', () => {
    expect(findReattachedProvider({}, 'random')).toBeUndefined()
    expect(findReattachedProvider({ TF_REATTACH_PROVIDERS: ' ' }, 'random')).toBeUndefined()
  })

  test.each([undefined, 0])('without a version (%s) means protocol 5', version => {
    const old = { ...entry, ProtocolVersion: version, Test: false }
    expect(find({ random: old }, 'random')).toMatchObject({ protocol: 5, isTest: false })
  })

  test.each([
    [{ ...entry, Protocol: 'netrpc' }, "has the transport 'netrpc', not grpc"],
    [{ ...entry, ProtocolVersion: 4 }, 'has the protocol 4, not 5 or 6'],
    [{ ...entry, Addr: undefined }, 'has no address of a Unix socket or a TCP port'],
    [{}, "has the transport 'undefined', not grpc"],
    [{ ...entry, Protocol: { toString: 'grpc' } }, "has the transport 'an object', not grpc"],
    [{ ...entry, ProtocolVersion: { a: 6 } }, 'has the protocol an object, not 5 or 6'],
    [
      { ...entry, Addr: { Network: 'unix', String: { toString: 1 } } },
      'has no address of a Unix socket or a TCP port',
    ],
    [null, 'is not an object'],
    [[], 'is not an object'],
    ['grpc', 'is not an object'],
  ])('%j is refused with its reason', (value, problem) => {
    expect(() => find({ random: value }, 'random')).toThrow(
      `TF_REATTACH_PROVIDERS of the provider 'random' ${problem}`,
    )
  })

  test.each(['{', '[]', '1'])('%s is refused, because it is no object', text => {
    expect(() => findReattachedProvider({ TF_REATTACH_PROVIDERS: text }, 'random')).toThrow(
      'TF_REATTACH_PROVIDERS is not a JSON object of source addresses',
    )
  })
})

describe('the environment of a provider', () => {
  test('has the variables of the user and of go-plugin', () => {
    const env = createProviderEnvironment(
      { A: 'a', PLUGIN_MULTIPLEX_GRPC: 'true', PLUGIN_CLIENT_CERT: 'stale' },
      undefined,
    )
    expect(env).toEqual({
      A: 'a',
      TF_PLUGIN_MAGIC_COOKIE: 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2',
      PLUGIN_PROTOCOL_VERSIONS: '5,6',
      PLUGIN_MIN_PORT: '10000',
      PLUGIN_MAX_PORT: '25000',
    })
    expect(createProviderEnvironment({}, 'pem')['PLUGIN_CLIENT_CERT']).toBe('pem')
  })

  test('disables TLS with any text in TF_DISABLE_PLUGIN_TLS', () => {
    expect(isTlsDisabled({ TF_DISABLE_PLUGIN_TLS: '0' })).toBe(true)
    expect(isTlsDisabled({ TF_DISABLE_PLUGIN_TLS: '' })).toBe(false)
    expect(isTlsDisabled({})).toBe(false)
  })

  test('has a log level with any text in a variable such as TF_LOG_PROVIDER', () => {
    expect(hasLogLevel({ TF_LOG_PROVIDER: 'DEBUG' })).toBe(true)
    expect(hasLogLevel({ TF_LOG: '' })).toBe(false)
  })
})
