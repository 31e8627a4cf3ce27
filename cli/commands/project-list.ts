import { stackPartsOf } from '../../shared/records/ids.ts'
import { organizationName } from '../../shared/triggers/notifications/pulumi-payload.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import type { Handler } from '../arguments/handler.ts'

/** `project list`: lists the projects that have stacks, each with the number of its stacks. */
export const listProjects: Handler = async (session, flags) => {
  const organization = flags.text('organization')
  const { platform } = await session.openEngine()
  const { stacks } = await platform.catalog.listStacks()
  const isOtherOrganization = organization !== undefined && organization !== organizationName
  const groups = Map.groupBy(
    isOtherOrganization ? [] : stacks,
    ({ id }) => stackPartsOf(id).project,
  )
  const projects = [...groups].map(([name, { length }]) => ({ name, stackCount: length }))
  if (isJsonOutput(flags)) {
    session.print(JSON.stringify(projects, null, 4))
    return 0
  }
  const organizationText = organization === undefined ? '' : ` in organization ${organization}`
  if (projects.length === 0) {
    session.print(`No projects found${organizationText}`)
    return 0
  }
  session.print(organizationText === '' ? 'PROJECTS:' : `PROJECTS IN ORGANIZATION ${organization}:`)
  for (const { name, stackCount } of projects) session.print(`  ${name} (stacks: ${stackCount})`)
  return 0
}
