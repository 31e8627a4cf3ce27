import { describe, expect, test } from 'vitest'
import {
  cacheLocationOf,
  parseGitReference,
  parseGitAddress,
  parseTagVersion,
} from './git-address.ts'

describe('an address is split into repository and folder', () => {
  test.each([
    ['git://github.com/org/repo', 'https://github.com/org/repo.git', ''],
    ['git://github.com/org/repo.git', 'https://github.com/org/repo.git', ''],
    ['git://github.com/org/repo/a/b', 'https://github.com/org/repo.git', 'a/b'],
    ['git://gitlab.com/group/sub/repo.git/a', 'https://gitlab.com/group/sub/repo.git', 'a'],
    ['git://github.com/me/me.github.io', 'https://github.com/me/me.github.io.git', ''],
    ['git://github.com/me/me.github.io/a', 'https://github.com/me/me.github.io.git', 'a'],
    ['git://github.com/org/repo/.github/a', 'https://github.com/org/repo.git', '.github/a'],
    ['git://github.com/org/repo.git/.github', 'https://github.com/org/repo.git', '.github'],
    [
      'git://me:word@git.example:8443/org/repo',
      'https://me:word@git.example:8443/org/repo.git',
      '',
    ],
    ['git://gist.github.com/me/abc', 'https://gist.github.com/abc.git', ''],
    ['git://dev.azure.com/o/p/_git/r', 'https://dev.azure.com/o/p/_git/r', ''],
  ])('%s is the repository %s with the folder %j', (address, url, folder) => {
    expect(parseGitAddress(address)).toEqual({ url, folder })
  })

  test.each([
    ['git://github.com/org', 'names no owner and repository'],
    ['git://gist.github.com/me', 'is not the address of a gist'],
    ['git://github.com/o/r/a%2F..%2F..%2F..%2Fb', 'leads out of the repository'],
    ['git://github.com/o/r/%ZZ', 'cannot be read'],
    ['git://', 'is not a valid address'],
    ['git://me:word@github.com/org', "'git://github.com/org' names no owner"],
  ])('%s is refused', (address, expected) => {
    expect(() => parseGitAddress(address)).toThrow(
      expect.objectContaining({
        code: 'PLUGIN_ADDRESS',
        message: expect.stringContaining(expected),
      }),
    )
  })
})

describe('the name and folder in the plugin cache', () => {
  test.each([
    ['', { name: 'thing', folder: '' }],
    ['https://x.example/a', { name: 'thing', folder: '' }],
    ['git://github.com/org/repo', { name: 'github.com_org_repo.git', folder: '' }],
    ['git://github.com/org/repo/a/b', { name: 'github.com_org_repo.git_a_b', folder: 'a/b' }],
    ['git://me:word@github.com/org/repo', { name: 'github.com_org_repo.git', folder: '' }],
  ])('of a plugin with the address %j are %j', (downloadUrl, expected) => {
    expect(cacheLocationOf({ name: 'thing', downloadUrl })).toEqual(expected)
  })
})

describe('a plugin named by its repository', () => {
  const name = 'github.com_org_repo.git'
  const downloadUrl = 'git://github.com/org/repo'
  test.each([
    ['github.com/org/repo', { name, version: '', downloadUrl }],
    ['github.com/org/repo@v1.2', { name, version: '1.2.0', downloadUrl }],
    ['https://github.com/org/repo@1.2.3-b.1', { name, version: '1.2.3-b.1', downloadUrl }],
    ['git://github.com/org/repo@0123abcd', { name, version: '0.0.0-x0123abcd', downloadUrl }],
    [
      'git://me@github.com/org/repo',
      { name, version: '', downloadUrl: 'git://me@github.com/org/repo' },
    ],
    ['aws', undefined],
    ['my.plugin', undefined],
  ])('%s is parsed as %j', (text, expected) => {
    expect(parseGitReference(text)).toEqual(expected)
  })

  test.each([
    ['github.com/org/repo@main', 'has the invalid version'],
    ['http://github.com/org/repo', 'must begin with https:// or git://'],
  ])('%s is refused', (text, expected) => {
    expect(() => parseGitReference(text)).toThrow(expected)
  })
})

test.each([
  ['v1', '1.0.0'],
  ['1.02', '1.2.0'],
  ['v01.002.000', '1.2.0'],
  ['1.2.3-beta.01', undefined],
  ['1.2.3-x.0a', '1.2.3-x.0a'],
  ['1.2.3+build.01', '1.2.3+build.01'],
  ['v1.2.3-beta', '1.2.3-beta'],
  ['main', undefined],
  ['1.2-beta', undefined],
])('the tag %s is parsed as version %s', (tag, version) => {
  expect(parseTagVersion(tag)).toBe(version)
})
