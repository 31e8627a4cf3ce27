import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { PluginDescriptor } from '../provider.ts'
import { isExecutable } from '../../programs/executables.ts'
import { findPlugin } from './find-plugin.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'find-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function createDescriptor(name: string, version = ''): PluginDescriptor {
  return { kind: 'resource', name, version, downloadUrl: '' }
}

function writeExecutable(path: string, mode = 0o755): string {
  const absolutePath = join(folder, path)
  mkdirSync(dirname(absolutePath), { recursive: true })
  writeFileSync(absolutePath, '#!/bin/sh\n')
  chmodSync(absolutePath, mode)
  return absolutePath
}

function install(version: string): string {
  return writeExecutable(`home/.pulumi/plugins/resource-aws-v${version}/pulumi-resource-aws`)
}

function find(descriptor: PluginDescriptor, env: Record<string, string> = {}) {
  return findPlugin(descriptor, {
    env,
    home: join(folder, 'home'),
    path: `:${join(folder, 'bin')}`,
  })
}

describe('a plugin is found', () => {
  test('on PATH first, in any version', () => {
    install('1.0.0')
    const path = writeExecutable('bin/pulumi-resource-aws')
    expect(find(createDescriptor('aws', '1.0.0'))).toEqual({ path })
  })

  test.each([
    ['', '', true],
    ['', '2.0.0', true],
    ['1.0.0', '', true],
    ['1.0.0', '1.0.0', true],
    ['1.0.0', '2.0.0', false],
  ])(
    'in the project before all other places if the versions fit: requested %j, declared %j, fits %j',
    (requestedVersion, version, fits) => {
      const path = writeExecutable('bin/pulumi-resource-aws')
      const ownPlugin = { kind: 'resource', name: 'aws', version, folder: '/own' }
      const otherPlugins = [
        { ...ownPlugin, name: 'other' },
        { ...ownPlugin, kind: 'language' },
      ]
      const locations = { env: {}, home: join(folder, 'home'), path: join(folder, 'bin') }
      expect(
        findPlugin(createDescriptor('aws', requestedVersion), {
          ...locations,
          projectPlugins: [...otherPlugins, ownPlugin],
        }),
      ).toEqual({
        path: fits ? '/own/pulumi-resource-aws' : path,
      })
    },
  )

  test('not on PATH when the environment excludes it', () => {
    const path = install('1.0.0')
    writeExecutable('bin/pulumi-resource-aws')
    expect(find(createDescriptor('aws'), { PULUMI_IGNORE_AMBIENT_PLUGINS: 'true' })).toEqual({
      path,
    })
  })

  test('in Antichain itself, for dynamic providers, without PATH', () => {
    const lookup = find(createDescriptor('pulumi-nodejs'))
    expect('path' in lookup && isExecutable(lookup.path)).toBe(true)
  })

  test('in the cache by its exact version, ignoring build metadata', () => {
    install('1.0.0')
    const path = install('1.0.1+b')
    install('2.0.0')
    expect(find(createDescriptor('aws', '1.0.1'))).toEqual({ path })
    expect(find(createDescriptor('aws', '1.0.2'))).toHaveProperty('missing')
  })

  test('in the cache as the newest stable version when no version is requested', () => {
    install('1.9.0')
    const path = install('1.10.0')
    install('2.0.0-alpha.1')
    expect(find(createDescriptor('aws'))).toEqual({ path })
  })

  test('in the cache as the newest version that is not older than the requested one, with the legacy search', () => {
    const path = install('1.10.0')
    const env = { PULUMI_ENABLE_LEGACY_PLUGIN_SEARCH: '1' }
    expect(find(createDescriptor('aws', '1.2.0'), env)).toEqual({ path })
    expect(find(createDescriptor('aws', '2.0.0'), env)).toHaveProperty('missing')
  })

  test('below PULUMI_HOME', () => {
    const path = writeExecutable('other/plugins/resource-aws-v1.0.0/pulumi-resource-aws')
    expect(find(createDescriptor('aws'), { PULUMI_HOME: join(folder, 'other') })).toEqual({ path })
  })
})

describe('a plugin is reported as missing', () => {
  test('with its name, its version and all searched places', () => {
    install('1.0.0')
    const lookup = find({
      ...createDescriptor('aws', '3.0.0'),
      downloadUrl: 'github://api.github.com/acme',
    })
    expect(lookup).toHaveProperty('missing')
    const text = 'missing' in lookup ? lookup.missing : ''
    expect(text).toContain("'pulumi-resource-aws' at version 3.0.0")
    expect(text).toContain(`PATH (${join(folder, 'bin')})`)
    expect(text).toContain(`${join(folder, 'home/.pulumi/plugins')}, which has only 1.0.0`)
    expect(text).toContain('github://api.github.com/acme')
  })

  test('without the credentials of its address', () => {
    const downloadUrl = 'https://me:word@plugins.example/aws'
    const lookup = find({ ...createDescriptor('aws', '3.0.0'), downloadUrl })
    expect(JSON.stringify(lookup)).toContain('its download address is https://plugins.example/aws')
    expect(JSON.stringify(lookup)).not.toContain('word')
  })

  test('when its installation is incomplete', () => {
    install('1.0.0')
    writeExecutable('home/.pulumi/plugins/resource-aws-v1.0.0.partial')
    expect(find(createDescriptor('aws'))).toHaveProperty('missing')
  })

  test('when the file on PATH is not executable, with that reason', () => {
    const path = writeExecutable('bin/pulumi-resource-aws', 0o644)
    expect(find(createDescriptor('aws'))).toMatchObject({
      missing: expect.stringContaining(`${path}, which is not executable`),
    })
  })
})
