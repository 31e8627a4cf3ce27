/** The version of Pulumi whose behavior is implemented, and which programs and plugins see. */
export const emulatedVersion = '3.260.0'
