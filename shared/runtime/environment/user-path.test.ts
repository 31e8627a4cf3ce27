import { delimiter } from 'node:path'
import { describe, expect, test } from 'vitest'
import { restoreUserPath } from './user-path.ts'

const root = '/place/ada/antichain'
const restore = (...folders: readonly string[]): string =>
  restoreUserPath(folders.join(delimiter), root).split(delimiter).join(' ')

describe("the user's PATH", () => {
  test('does not contain the folders that npm adds for a script', () => {
    const npm = '/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin'
    const parents = [
      '/place/ada/node_modules/.bin',
      '/place/node_modules/.bin',
      '/node_modules/.bin',
    ]
    expect(restore(`${root}/node_modules/.bin`, ...parents, npm, '/usr/bin')).toBe('/usr/bin')
  })

  test('does not contain the Node of this project, at any position', () => {
    expect(restore('/usr/bin', `${root}/node_modules/node/bin`, '/bin')).toBe('/usr/bin /bin')
  })

  test('does not contain the folders of npm and Node with other slashes either', () => {
    expect(restore(`${root}//node_modules/.bin/`, `${root}/node_modules/node/bin/`, '/bin')).toBe(
      '/bin',
    )
  })

  test('keeps the folders of other projects', () => {
    const userFolders = ['/place/ada/shop/node_modules/.bin', '/opt/node_modules/node/bin']
    expect(restore(...userFolders)).toBe(userFolders.join(' '))
  })

  test('keeps order, duplicates and empty entries', () => {
    expect(restoreUserPath('/b::/a:/b:', root)).toBe('/b::/a:/b:')
  })

  test('stays empty when it is empty', () => {
    expect(restoreUserPath('', root)).toBe('')
  })
})
