import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasCode } from '../../shared/errors/error.ts'
import { findStateFile } from './find-state-file.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'state-file-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (name: string, text = '{}'): string => {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}
const writeBackend = (backend: object): string =>
  write('.terraform/terraform.tfstate', JSON.stringify({ version: 3, backend }))

describe('the state file of a path', () => {
  test('is the file itself, or terraform.tfstate in a folder', () => {
    const file = write('terraform.tfstate')
    expect(findStateFile(file)).toEqual({ file, folder })
    expect(findStateFile(folder)).toEqual({ file, folder })
  })

  test('is that of the selected workspace', () => {
    const file = write('terraform.tfstate.d/blue/terraform.tfstate')
    write('terraform.tfstate')
    write('.terraform/environment', 'blue\n')
    expect(findStateFile(folder)).toEqual({ file, folder })
  })

  test('is that of a local backend', () => {
    writeBackend({ type: 'local', config: { path: 'states/a.tfstate' } })
    const file = write('states/a.tfstate')
    expect(findStateFile(folder)).toEqual({ file, folder })
    writeBackend({ type: 'local', config: {} })
    expect(findStateFile(dirname(write('terraform.tfstate'))).file).toBe(
      join(folder, 'terraform.tfstate'),
    )
  })

  test('of a local backend depends on the selected workspace too', () => {
    writeBackend({ type: 'local', config: { path: 'states/a.tfstate', workspace_dir: 'spaces' } })
    const defaultFile = write('states/a.tfstate')
    const blueFile = write('spaces/blue/terraform.tfstate')
    write('.terraform/environment', 'default')
    expect(findStateFile(folder).file).toBe(defaultFile)
    write('.terraform/environment', 'blue')
    expect(findStateFile(folder).file).toBe(blueFile)
  })

  test.each([
    ['TERRAFORM_STATE_REMOTE', 'a remote backend', () => writeBackend({ type: 's3', config: {} })],
    ['FILE_UNREADABLE', 'no state', () => write('main.tf')],
    ['FILE_UNREADABLE', 'a missing folder', () => rmSync(folder, { recursive: true })],
  ] as const)('is refused with %s for %s', (code, what, prepare) => {
    prepare()
    let thrown: unknown
    try {
      findStateFile(folder)
    } catch (caught) {
      thrown = caught
    }
    expect(hasCode(thrown, code)).toBe(true)
    // The clean-up after each test removes the folder, and fails if it is missing.
    if (what === 'a missing folder') mkdirSync(folder)
  })
})
