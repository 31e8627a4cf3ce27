import type { TerraformInstaller } from '../../providers/terraform/install/terraform-installer.ts'
import type { createTerraformInstallDeps } from './terraform-install-deps.ts'

/** Loads the installer of Terraform providers on this machine, and creates it. */
export async function openTerraformInstaller(
  deps: Parameters<typeof createTerraformInstallDeps>[0],
): Promise<TerraformInstaller> {
  const [{ createTerraformInstaller }, installDeps] = await Promise.all([
    import('../../providers/terraform/install/terraform-installer.ts'),
    import('./terraform-install-deps.ts'),
  ])
  return createTerraformInstaller(installDeps.createTerraformInstallDeps(deps))
}
