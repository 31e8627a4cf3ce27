/**
 * The version of Pulumi whose behavior Antichain implements. Programs and plugins see this version.
 */
export const emulatedVersion = '3.260.0'
