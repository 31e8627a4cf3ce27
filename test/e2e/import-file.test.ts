import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSandbox, requireSuccess } from './sandbox.ts'
import { initDevStack, upArgs } from './exported-state.ts'

test('the import file of a preview imports the resources that the preview would create', async () => {
  const sandbox = createSandbox('many')
  try {
    const env = { COUNT: '6', DELAY: '1' }
    await initDevStack(sandbox)
    requireSuccess(await sandbox.run(upArgs, { env }))
    requireSuccess(await sandbox.run(['stack', 'init', 'other'], { env }))
    const previewArgs = ['preview', '-s', 'other', '--import-file', 'found.json']
    requireSuccess(await sandbox.run(previewArgs, { env }))
    const path = join(sandbox.program, 'found.json')
    const file: { resources: { name: string; id: string; version?: string }[] } = JSON.parse(
      readFileSync(path, 'utf8'),
    )
    expect(file.resources.map(({ name }) => name)).toHaveLength(6)
    for (const resource of file.resources) {
      expect(resource).toMatchObject({ type: 'gold:index:Thing', id: '<PLACEHOLDER>' })
      resource.id = `${resource.name}-1`
    }
    writeFileSync(path, JSON.stringify(file))
    const args = ['import', '-s', 'other', '--file', 'found.json', '--yes', '--protect=false']
    requireSuccess(await sandbox.run([...args, '--generate-code=false'], { env }))
    const upAgainArgs = ['up', '--yes', '--skip-preview', '-s', 'other', '--expect-no-changes']
    requireSuccess(await sandbox.run(upAgainArgs, { env }))
    expect(sandbox.listObjects()).toHaveLength(6)
  } finally {
    sandbox.remove()
  }
}, 120_000)
