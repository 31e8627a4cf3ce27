import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPlace, requireSuccess } from './place.ts'
import { initDevStack, upArgs } from './exported-state.ts'

test('the import file of a preview imports the resources that the preview would create', async () => {
  const place = createPlace('many')
  try {
    const env = { COUNT: '6', DELAY: '1' }
    await initDevStack(place)
    requireSuccess(await place.run(upArgs, { env }))
    requireSuccess(await place.run(['stack', 'init', 'other'], { env }))
    const drawn = ['preview', '-s', 'other', '--import-file', 'found.json']
    requireSuccess(await place.run(drawn, { env }))
    const path = join(place.program, 'found.json')
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
    requireSuccess(await place.run([...args, '--generate-code=false'], { env }))
    const again = ['up', '--yes', '--skip-preview', '-s', 'other', '--expect-no-changes']
    requireSuccess(await place.run(again, { env }))
    expect(place.listObjects()).toHaveLength(6)
  } finally {
    place.remove()
  }
}, 120_000)
