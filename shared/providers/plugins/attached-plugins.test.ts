import { describe, expect, test } from 'vitest'
import { readAttachedPlugins, readAttachedPort } from './attached-plugins.ts'

const envOf = (value: string) => ({ PULUMI_DEBUG_PROVIDERS: value })

test('running plugins are listed with their ports', () => {
  expect(readAttachedPlugins(envOf('aws:1234, gcp :77,azure'))).toEqual([
    { name: 'aws', port: '1234' },
    { name: 'gcp', port: '77' },
    { name: 'azure', port: undefined },
  ])
})

describe('the port of the running plugin aws', () => {
  test.each([
    ['', undefined],
    ['gcp:77', undefined],
    ['aws:1234', 1234],
    ['gcp:77, aws : 1234 ', 1234],
    ['aws:1,aws:2', 1],
  ])('is read from %j as %j', (value, port) => {
    expect(readAttachedPort(envOf(value), 'aws')).toBe(port)
  })

  test.each(['aws', 'aws:', 'aws:x', 'aws:123456'])('is refused in %j', value => {
    expect(() => readAttachedPort(envOf(value), 'aws')).toThrow(
      expect.objectContaining({ code: 'PLUGIN_FAILED' }),
    )
  })

  test('is found beside an invalid entry of another plugin', () => {
    expect(readAttachedPort(envOf('gcp:x,aws:2'), 'aws')).toBe(2)
  })
})
