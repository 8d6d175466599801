declare module 'texts:*' {
  export const resources: Readonly<Record<string, Readonly<Record<string, string>>>>
}
