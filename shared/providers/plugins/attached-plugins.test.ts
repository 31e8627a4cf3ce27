import { describe, expect, test } from 'vitest'
import { readAttachedPlugins, readAttachedPort } from './attached-plugins.ts'

const envOf = (value: string) => ({ PULUMI_DEBUG_PROVIDERS: value })

test('plugins that run already are named with their ports', () => {
  expect(readAttachedPlugins(envOf('aws:1234, gcp :77,azure'))).toEqual([
    { name: 'aws', port: '1234' },
    { name: 'gcp', port: '77' },
    { name: 'azure', port: undefined },
  ])
})

describe('the port of a plugin that runs already', () => {
  test.each([
    ['', undefined],
    ['gcp:77', undefined],
    ['aws:1234', 1234],
    ['gcp:77, aws : 1234 ', 1234],
    ['aws:1,aws:2', 1],
  ])('%j says %j', (value, port) => {
    expect(readAttachedPort(envOf(value), 'aws')).toBe(port)
  })

  test.each(['aws', 'aws:', 'aws:x', 'aws:123456'])('%j is refused', value => {
    expect(() => readAttachedPort(envOf(value), 'aws')).toThrow(
      expect.objectContaining({ code: 'PLUGIN_FAILED' }),
    )
  })

  test('what is said wrong of another plugin does not matter', () => {
    expect(readAttachedPort(envOf('gcp:x,aws:2'), 'aws')).toBe(2)
  })
})
