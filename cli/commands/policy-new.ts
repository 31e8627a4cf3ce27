import { resolve } from 'node:path'
import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import { createCliSession } from '../session/session.ts'
import { openTemplate } from '../templates/open-template.ts'
import { policyTemplates } from '../templates/policy-templates.ts'
import { writeOutputFile } from '../project/output-file.ts'
import { requireEmptyFolder } from '../templates/require-empty-folder.ts'
import { defaultInstallFlags } from './new.ts'
import { installProject } from './install.ts'

/**
 * `policy new`: writes a policy pack from a template of this package or of a folder, and installs
 * its dependencies unless --generate-only is set. Throws CLI_USAGE and INSTALL_FAILED.
 */
export const createPolicyPack: Handler = async (session, flags, [operand]) => {
  const names = policyTemplates.map(({ name }) => name).join(', ')
  if (operand === undefined && !session.mayPrompt)
    throw createError('CLI_USAGE', 'the template is missing: pass its name or a folder', {
      hint: `Use ${names}, or a folder.`,
    })
  const name = operand ?? (await session.io.prompt(`Template (${names}):`)).trim()
  const template = await openTemplate(name, session, {
    builtIn: policyTemplates,
    projectFile: 'PulumiPolicy.yaml',
  })
  const folder = resolve(session.cwd, flags.text('dir') ?? '.')
  if (!flags.isSet('force')) requireEmptyFolder(folder)
  for (const [path, file] of template.files) writeOutputFile(folder, path, file)
  session.print(`Created a policy pack in ${folder}.`)
  if (!flags.isSet('generateOnly')) {
    const packSession = createCliSession(session.io, session.tools, {
      cwd: folder,
      color: 'auto',
      verbose: session.verbose,
      nonInteractive: true,
    })
    try {
      await installProject(packSession, defaultInstallFlags, [])
    } finally {
      await packSession.close()
    }
  }
  session.print(`\nNext step: antichain preview --policy-pack ${folder}`)
  return 0
}
