import * as z from 'zod'
import type { Handler } from '../arguments/handler.ts'
import { formatTable } from '../display/table.ts'
import { listAllItems } from '../remote/api-pages.ts'
import type { CliSession } from '../session/session.ts'
import { requireApi } from '../remote/require-api.ts'

const registriesPath = '/v1/package-registries'

const registryForm = z.object({
  name: z.string(),
  value: z.object({
    manager: z.string(),
    address: z.string(),
    scope: z.string().optional(),
    runsScripts: z.boolean(),
    hasCredential: z.boolean(),
  }),
})

/** Opens the API of the login. Throws LOGIN_MISSING. */
function openApi(session: CliSession) {
  return requireApi(
    session,
    'package registries require',
    'Run `antichain login <address>`; on this machine the package manager has its own settings.',
  )
}

/**
 * `registry set`: stores a registry from which the installer of the API gets packages.
 * ANTICHAIN_CREDENTIAL is stored as its credential.
 */
export const setPackageRegistry: Handler = async (session, flags, [name = '', address = '']) => {
  const { callApi } = await openApi(session)
  const credential = session.io.env['ANTICHAIN_CREDENTIAL'] ?? ''
  const scope = flags.text('scope')
  await callApi({
    method: 'PUT',
    path: `${registriesPath}/${encodeURIComponent(name)}`,
    body: {
      address,
      manager: flags.text('manager'),
      ...(scope === undefined ? {} : { scope }),
      runsScripts: flags.isSet('runScripts'),
      ...(credential === '' ? {} : { credential }),
    },
  })
  session.printToStderr(`Stored the package registry ${name}.`)
  return 0
}

/** `registry ls`: lists the package registries of the API, without their credentials. */
export const listPackageRegistries: Handler = async (session, flags) => {
  const registries = await listAllItems(await openApi(session), registriesPath, registryForm)
  if (flags.isSet('json')) {
    session.print(JSON.stringify(registries, null, 2))
    return 0
  }
  const rows = registries.map(({ name, value }) => [
    ...[name, value.manager, value.address, value.scope ?? ''],
    ...[value.hasCredential ? 'yes' : 'no', value.runsScripts ? 'yes' : 'no'],
  ])
  const header = ['NAME', 'MANAGER', 'ADDRESS', 'SCOPE', 'CREDENTIAL', 'SCRIPTS']
  for (const line of formatTable(header, rows)) session.print(line)
  return 0
}

/** `registry rm`: removes a package registry. */
export const removePackageRegistry: Handler = async (session, _flags, [name = '']) => {
  const { callApi } = await openApi(session)
  await callApi({ method: 'DELETE', path: `${registriesPath}/${encodeURIComponent(name)}` })
  session.printToStderr(`Removed the package registry ${name}.`)
  return 0
}
