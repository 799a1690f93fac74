@_exported public import CalotypeCaching
@_exported public import CalotypeImaging
@_exported public import CalotypeIsolation
@_exported public import CalotypeLoading
