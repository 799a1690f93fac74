// Header fields are part of requests and responses: users need no second import for them.
@_exported public import HTTPTypes
