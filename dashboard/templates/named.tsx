/** A template as requests name it. */
export const NamedTemplate = ({ name, language }: { name: string; language: string | null }) => (
  <>
    <code>{name}</code> <span className="as-typed">({language})</span>
  </>
)
