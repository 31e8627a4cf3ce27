import { resolve } from 'node:path'
import * as z from 'zod'
import { error } from '../../shared/errors/error.ts'
import { packProgram } from '../../shared/programs/archive/program-archive.ts'
import { readPolicyProject } from '../../shared/programs/project/policy-project.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Flags } from '../arguments/flags.ts'
import type { Handler } from '../arguments/handler.ts'
import { formatTable } from '../display/table.ts'
import { listAllItems } from '../remote/api-pages.ts'
import type { CliSession } from '../session/session.ts'
import { requireApi } from '../remote/require-api.ts'

const attachedPolicyForm = z.object({
  name: z.string(),
  value: z.object({
    archive: z.string(),
    stacks: z.object({
      projects: z.array(z.string()),
      tags: z.record(z.string(), z.string()),
      stacks: z.array(z.string()),
    }),
  }),
})
type StackSelection = z.infer<typeof attachedPolicyForm>['value']['stacks']

/** `policy attach`: uploads a policy pack, which then checks every deployment of the named stacks. */
export const attachPolicy: Handler = async (session, flags, [folder = '']) => {
  const { remote, callApi } = await requireApi(
    session,
    'attaching a policy pack requires',
    'Run `antichain login <address>`. Without an API, run `antichain up --policy-pack <folder>`.',
  )
  const stacks = await readSelection(session, flags)
  const packFolder = resolve(session.cwd, folder)
  readPolicyProject(packFolder)
  const name = flags.text('name') ?? packFolder.split('/').at(-1) ?? ''
  if (!/^[\w.-]{1,100}$/.test(name))
    throw error('CLI_USAGE', `'${name}' is not a valid name of a policy pack`, {
      hint: 'Use 1 to 100 letters, digits, _, . and -, with --name.',
    })
  const { bytes, hash: archive } = await packProgram(packFolder)
  const path = `/v1/policies/${encodeURIComponent(name)}`
  await remote.uploadArchive(`${path}/archives`, { archive, bytes })
  await callApi({ method: 'PUT', path, body: { archive, stacks } })
  session.printToStderr(`Attached policy pack '${name}' to ${describeSelection(stacks)}.`)
  return 0
}

/** `policy detach`: removes an attached policy pack. */
export const detachPolicy: Handler = async (session, _flags, [name = '']) => {
  const { callApi } = await session.openEngine()
  await callApi({ method: 'DELETE', path: `/v1/policies/${encodeURIComponent(name)}` })
  session.printToStderr(`Detached policy pack '${name}'.`)
  return 0
}

/** `policy ls --attached`: lists the attached policy packs. */
export const listAttachedPolicies: Handler = async (session, flags) => {
  const policies = await listAllItems(
    await session.openEngine(),
    '/v1/policies',
    attachedPolicyForm,
  )
  if (flags.isSet('json')) {
    session.print(JSON.stringify(policies, null, 2))
    return 0
  }
  const rows = policies.map(({ name, value }) => [
    name,
    value.archive.slice(0, 12),
    describeSelection(value.stacks),
  ])
  for (const line of formatTable(['NAME', 'ARCHIVE', 'STACKS'], rows)) session.print(line)
  return 0
}

/** Returns the stacks that the options name, or the selected stack without such an option. */
async function readSelection(session: CliSession, flags: Flags): Promise<StackSelection> {
  const projects = [...flags.list('project')]
  const tags = Object.fromEntries(flags.list('tag').map(tag => splitTag(tag)))
  const isAll = flags.isSet('all')
  if (isAll || projects.length > 0 || Object.keys(tags).length > 0)
    return { projects, tags, stacks: [] }
  const { project, stack } = stackPartsOf(await session.requireStack())
  return { projects, tags, stacks: [`${project}/${stack}`] }
}

function splitTag(tag: string): readonly [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/su.exec(tag) ?? []
  if (name === undefined || value === undefined)
    throw error('CLI_USAGE', `--tag takes <name>=<value>, not '${tag}'`)
  return [name, value]
}

function describeSelection({ projects, tags, stacks }: StackSelection): string {
  const parts = [
    ...stacks,
    ...projects.map(project => `${project}/*`),
    ...Object.entries(tags).map(([name, value]) => `tag ${name}=${value}`),
  ]
  return parts.length === 0 ? 'all stacks' : parts.join(', ')
}
