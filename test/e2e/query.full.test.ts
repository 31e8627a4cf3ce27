import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { initDevStack, upArgs } from './exported-state.ts'
import { createSandbox, requireSuccess } from './sandbox.ts'

const secret = 'swordfish-7f3a'

/** Changes one object of a cloud outside of any deployment, and removes another one. */
function changeObjects(cloud: string): void {
  const folder = join(cloud, 'objects')
  for (const name of readdirSync(folder)) {
    const object = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { props: object }
    const props = { ...object.props, value: 'changed elsewhere' }
    if (name.includes('page'))
      writeFileSync(join(folder, name), JSON.stringify({ ...object, props }))
    if (name.includes('database')) rmSync(join(folder, name))
  }
}

test('a query reads resources, properties without secrets, deployments, steps, drift and the search index', async () => {
  const sandbox = createSandbox('shop')
  const query = async (sql: string): Promise<unknown> =>
    JSON.parse(requireSuccess(await sandbox.run(['query', sql, '--json'])).out)
  try {
    requireSuccess(await sandbox.run(['stack', 'init', 'prod']))
    await initDevStack(sandbox)
    const set = ['config', 'set', '--secret', 'password', secret, '-s', 'dev']
    requireSuccess(await sandbox.run(set))
    requireSuccess(await sandbox.run(upArgs))
    expect(
      await query('select stack, version, resources > 5 as big from stacks order by stack'),
    ).toEqual([
      { stack: 'dev', version: 1, big: 1 },
      { stack: 'prod', version: 0, big: 0 },
    ])
    expect(
      await query(
        "select name, id from resources where type like 'gold:%Thing' order by 1 limit 1",
      ),
    ).toEqual([{ name: 'database', id: 'database-1' }])
    expect(
      await query(
        "select r.name, p.value from properties p join resources r using (project, stack, urn) where p.path = 'value' and p.kind = 'inputs' and r.name = 'page'",
      ),
    ).toEqual([{ name: 'page', value: 'first' }])
    const secrets = await query(
      'select count(*) as n, count(value) as shown from properties where is_secret = 1',
    )
    expect(secrets).toEqual([{ n: expect.any(Number), shown: 0 }])
    expect(secrets).not.toEqual([{ n: 0, shown: 0 }])
    expect(
      JSON.stringify(await query('select * from properties, search limit 9000')),
    ).not.toContain(secret)
    expect(await query("select name from search where search match 'first'")).toEqual([
      { name: 'page' },
    ])
    // A repeated column name gets a number that no other column has.
    expect(await query('select 1 as a, 2 as a, 3 as a_2')).toEqual([{ a: 1, a_3: 2, a_2: 3 }])
    expect(await query('select number, command, result from deployments')).toEqual([
      { number: 1, command: 'up', result: 'succeeded' },
    ])
    expect(
      await query("select operation, result from steps where urn like '%::database' limit 1"),
    ).toEqual([{ operation: 'create', result: 'succeeded' }])
    expect(await query('select * from drift')).toEqual([])
    changeObjects(sandbox.cloud)
    requireSuccess(await sandbox.run(['refresh', '--yes', '--skip-preview', '-s', 'dev']))
    const drift = await query(
      "select deployment, substr(urn, instr(urn, '::page')) as page, kind, paths, request from drift where kind = 'update'",
    )
    expect(drift).toEqual([
      { deployment: 2, page: '::page', kind: 'update', paths: '["value"]', request: null },
    ])
    expect(
      await query("select urn like '%::database' as gone from drift where kind = 'delete'"),
    ).toEqual([{ gone: 1 }])
    // An update that refreshes first finds drift too. Its own changes are no drift.
    requireSuccess(await sandbox.run(upArgs))
    changeObjects(sandbox.cloud)
    requireSuccess(await sandbox.run([...upArgs, '--refresh']))
    const found = await query(
      "select kind, paths, substr(urn, instr(urn, 'Thing::') + 7) as name from drift where deployment = 4 order by kind",
    )
    expect(found).toEqual([
      { kind: 'delete', paths: '[]', name: 'database' },
      { kind: 'update', paths: '["value"]', name: 'page' },
    ])
    const table = requireSuccess(await sandbox.run(['query', 'select stack from stacks'])).out
    expect(table).toBe('stack\ndev\nprod\n')
    // A rename is an edit. It removes the records of the steps, and keeps those of the deployments.
    requireSuccess(await sandbox.run(['stack', 'rename', 'renamed', '-s', 'dev']))
    expect(await query('select count(*) as steps from steps')).toEqual([{ steps: 0 }])
    expect(await query('select count(*) as number from deployments')).toEqual([{ number: 5 }])
    const invalid = await sandbox.run(['query', 'delete from stacks'])
    expect(invalid).toMatchObject({ exit: 2 })
    expect(invalid.err).toContain('error[QUERY_INVALID]: not authorized')
    for (const endless of [
      'with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n',
      'select length(group_concat(hex(randomblob(100000000)))) from (values (1), (2), (3), (4))',
    ])
      expect((await sandbox.run(['query', endless])).err).toContain('error[QUERY_LIMIT]: ')
  } finally {
    sandbox.remove()
  }
})
